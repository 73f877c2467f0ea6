"""sequence_scatter: add sequences of updates into rows of a matrix."""

from __future__ import annotations

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, LoD, Tensor, op
from refluid.ops.sequence.segments import need_lod


@op("Out", lod=None, dtypes={"Ids": INDICES})
def sequence_scatter(X: Tensor, Ids: Tensor, Ids_lod: LoD | None, Updates: Tensor) -> Tensor:
    """Out = X, then Out[i, Ids[j]] += Updates[j] for every j of sequence i of Ids."""
    lod = need_lod(Ids_lod, Ids.shape[0], "Ids", levels=1)
    if X.dim() != 2 or X.shape[0] != lod.count():
        raise ShapeError(f"X must have one row per sequence of Ids, {lod.count()}, got {list(X.shape)}")
    if Ids.numel() != Updates.numel():
        raise ShapeError(f"Ids and Updates must have the same number of rows, got {len(Ids)} and {len(Updates)}")
    ids = Ids.reshape(-1)
    if len(ids) and not (int(ids.min()) >= 0 and int(ids.max()) < X.shape[1]):
        raise ValueRangeError(f"Ids must be from 0 to {X.shape[1] - 1}, got {int(ids.min())} to {int(ids.max())}")
    places = lod.segment_ids(device=X.device) * X.shape[1] + ids
    return X.reshape(-1).index_add(0, places, Updates.reshape(-1)).reshape(X.shape)


@sequence_scatter.infer
def sequence_scatter_shape(inputs: list, attrs: dict) -> list:
    x: Spec = inputs[0]
    return [Spec(x.shape, x.dtype)]
