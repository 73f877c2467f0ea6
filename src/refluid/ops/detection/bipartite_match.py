"""bipartite_match: greedy bipartite matching of ground-truth boxes with prior boxes."""

from __future__ import annotations

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
    spans = list(DistMat_lod.spans()) if DistMat_lod is not None else [(0, len(DistMat))]
    matches = [_match(DistMat[start:end], match_type, dist_threshold) for start, end in spans]
    return torch.stack([rows for rows, _ in matches]).int(), torch.stack([dist for _, dist in matches])


def _match(similar: Tensor, match_type: str, threshold: float) -> tuple[Tensor, Tensor]:
    count, columns = similar.shape
    rows = torch.full((columns,), -1, dtype=torch.int64, device=similar.device)
    dist = similar.new_zeros(columns)
    if count == 0:
        return rows, dist
    if native.takes(similar):
        native.call("match_greedily_", similar.contiguous(), count, columns, _NONE, rows, dist)
    else:
        _match_greedily(similar, rows, dist)
    if match_type == "per_prediction":
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
