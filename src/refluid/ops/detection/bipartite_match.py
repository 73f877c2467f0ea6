"""bipartite_match: greedy bipartite matching of ground-truth boxes with prior boxes."""

from __future__ import annotations

from itertools import pairwise

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.native import call as native
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, LoD, Tensor, op

_NONE = 1e-6  # Fluid: smaller similarities count as 0


@op("ColToRowMatchIndices ColToRowMatchDist", nograd="*", lod=None, dtypes={"DistMat": FLOATS}, late="DistMat")
def bipartite_match(
    DistMat: Tensor, DistMat_lod: LoD | None, *, match_type: str = "bipartite", dist_threshold: float = 0.5
) -> tuple[Tensor, Tensor]:
    """For every column of similarities [rows, columns] the row that it is matched with, or -1, and how similar it is.

    The LoD has one sequence per image; results are [images, columns], rows counted from the start of the image. The
    most similar pair is matched, then the most similar of what is left, and so on. per_prediction also gives every
    column left its most similar row if that is at least `dist_threshold`.
    """
    if DistMat.dim() != 2:
        raise ShapeError(f"DistMat must be [rows, columns], got shape {list(DistMat.shape)}")
    if match_type not in ("bipartite", "per_prediction"):
        raise ArgumentError(f"match_type must be bipartite or per_prediction, got {match_type!r}")
    per_prediction = match_type == "per_prediction"
    offsets = DistMat_lod.levels[-1] if DistMat_lod is not None else (0, len(DistMat))
    if native.takes(DistMat) and offsets[-1] == len(DistMat):
        shape = len(offsets) - 1, DistMat.shape[1]
        rows, dist = DistMat.new_empty(shape, dtype=torch.int32), DistMat.new_empty(shape)
        native.call(
            "match_images_", DistMat.contiguous(), torch.tensor(offsets), *shape, per_prediction, float(dist_threshold),
            _NONE, rows, dist,
        )  # fmt: skip
        return rows, dist
    matches = [_match(DistMat[start:end], per_prediction, dist_threshold) for start, end in pairwise(offsets)]
    return torch.stack([rows for rows, _ in matches]).int(), torch.stack([dist for _, dist in matches])


def _match(similar: Tensor, per_prediction: bool, threshold: float) -> tuple[Tensor, Tensor]:
    count, columns = similar.shape
    rows = torch.full((columns,), -1, dtype=torch.int64, device=similar.device)
    dist = similar.new_zeros(columns)
    if count == 0:
        return rows, dist
    _match_greedily(similar, rows, dist)
    if per_prediction:
        highest, where = similar.max(0)
        more = (rows < 0) & (highest >= threshold) & (highest >= _NONE)
        rows, dist = torch.where(more, where, rows), torch.where(more, highest, dist)
    return rows, dist


def _match_greedily(similar: Tensor, rows: Tensor, dist: Tensor) -> None:
    left = similar.clone()
    for _ in range(min(similar.shape)):
        row, column = divmod(int(left.argmax()), similar.shape[1])
        if left[row, column] < _NONE:
            return
        rows[column], dist[column] = row, similar[row, column]
        left[row], left[:, column] = -1, -1


@bipartite_match.infer
def bipartite_match_shape(inputs: list, attrs: dict) -> list | None:
    given: Spec = inputs[0]
    if len(given.shape) != 2 or attrs["match_type"] not in ("bipartite", "per_prediction"):
        return None
    return [Spec((-1, given.shape[1]), torch.int32, 0), Spec((-1, given.shape[1]), given.dtype, 0)]
