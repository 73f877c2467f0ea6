"""similarity_focus: a mask of the largest cells, no two in one row or column."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.nn.geometry import check_rank
from refluid.ops.registry import FLOATS, Tensor, op


@op(dtypes={"X": FLOATS}, nograd="*")
def similarity_focus(X: Tensor, *, axis: int, indexes: list[int]) -> Tensor:
    """Out = 1 where a cell is chosen in one of the slices X[.., index, ..] along `axis`, the same for all of that axis.

    In each slice the largest cell is chosen, then the largest of the rows and columns that are left, and so on.
    """
    check_rank("X", X, 4)
    if axis not in (1, 2, 3):
        raise ArgumentError(f"axis must be 1, 2 or 3, got {axis}")
    if not indexes or not all(0 <= i < X.shape[axis] for i in indexes):
        raise ArgumentError(f"indexes must lie in [0, {X.shape[axis] - 1}], got {list(indexes)}")
    out = torch.zeros_like(X)
    if X.is_meta:
        return out
    images = out.movedim(axis, 1)
    for sample, image in zip(X.movedim(axis, 1), images):
        for index in indexes:
            for row, column in _strongest(sample[index]):
                image[:, row, column] = 1.0
    return out


def _strongest(matrix: Tensor) -> list[tuple[int, int]]:
    order = matrix.flatten().sort(descending=True, stable=True).indices.tolist()
    rows: set[int] = set()
    columns: set[int] = set()
    chosen = []
    for place in order:
        row, column = divmod(place, matrix.shape[1])
        if row not in rows and column not in columns:
            rows.add(row)
            columns.add(column)
            chosen.append((row, column))
    return chosen
