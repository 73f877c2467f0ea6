"""sequence_expand: repeat rows or sequences as often as another tensor's LoD says."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import LoD, Shape, Tensor, op
from refluid.ops.sequence.segments import need_lod, ranges


@op("Out", nograd="Y")
def sequence_expand(X: Tensor, X_lod: LoD | None, Y: Shape, Y_lod: LoD | None, *, ref_level: int = -1) -> Tensor:
    """Row (or, if X has a LoD, sequence) i of X is repeated as often as sequence i of Y's level `ref_level` is long."""
    return X.index_select(0, _sources(X.shape, X_lod, Y_lod, ref_level, X.device))


@sequence_expand.grad
def sequence_expand_grad(
    X: Shape, X_lod: LoD | None, Y: Shape, Y_lod: LoD | None, Out_grad: Tensor, *, ref_level: int
) -> Tensor:
    rows = _sources(X, X_lod, Y_lod, ref_level, Out_grad.device)
    return Out_grad.new_zeros(X).index_add_(0, rows, Out_grad)


@sequence_expand.infer
def sequence_expand_shape(inputs: list, attrs: dict) -> list:
    x: Spec = inputs[0]
    return [Spec((-1, *x.shape[1:]), x.dtype, x.lod_level)]


@sequence_expand.lods
def sequence_expand_lods(ins: list, values: list, attrs: dict) -> list:
    x, y = ins
    if x is None or y is None:
        return [None]
    times = y.lengths()[attrs["ref_level"]]
    return [LoD.from_lengths([[n for n, repeat in zip(x.lengths()[0], times, strict=True) for _ in range(repeat)]])]


def _sources(X: Shape, X_lod: LoD | None, Y_lod: LoD | None, ref_level: int, device: torch.device) -> Tensor:
    """For every row of the result its source row of X."""
    if Y_lod is None:
        raise ShapeError("Y must be a LoDTensor with at least one level; feed it with fluid.create_lod_tensor")
    if not -1 <= ref_level < len(Y_lod):
        raise ArgumentError(
            f"ref_level must be from -1 to {len(Y_lod) - 1}, Y has {len(Y_lod)} levels, got {ref_level}"
        )
    sequences = Y_lod.count(ref_level)
    count = X[0] if X_lod is None else need_lod(X_lod, X[0], levels=1).count()
    if count != sequences:
        what = "rows" if X_lod is None else "sequences"
        raise ShapeError(f"X has {count} {what}, but level {ref_level} of Y has {sequences} sequences")
    repeated = Y_lod.segment_ids(ref_level, device)
    if X_lod is None:
        return repeated
    starts = X_lod.offsets_tensor(device=device).index_select(0, repeated)
    return ranges(starts, X_lod.lengths_tensor(device=device).index_select(0, repeated))
