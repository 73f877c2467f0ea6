"""Products of several heads: matmul's `head_number`, which Fluid's fusions of attention set."""

from __future__ import annotations

from refluid.core.errors import ShapeError
from refluid.ops.registry import Tensor


def split_heads(x: Tensor, y: Tensor, heads: int) -> tuple[Tensor, Tensor]:
    """The matrices of every head, as an axis before the last two. x and y are [.., M, K] and [.., K', N].

    Each head has its part of x's columns. Of y it has that part of the rows if y has a row for each of x's columns,
    and else a part of the columns, y having as many rows as a head has columns of x.
    """
    if x.dim() < 2 or y.dim() < 2:
        raise ShapeError(
            f"X and Y must be matrices where there are {heads} heads, got {list(x.shape)} and {list(y.shape)}"
        )
    columns, rows = x.shape[-1], y.shape[-2]
    if columns % heads:
        raise ShapeError(f"the {columns} columns of X cannot be dealt out to {heads} heads")
    by_row = columns == rows
    if not by_row and (rows * heads != columns or y.shape[-1] % heads):
        raise ShapeError(
            f"{heads} heads of {columns} columns of X need {columns} rows of Y, or {columns // heads} and a multiple "
            f"of {heads} columns, got {list(y.shape)}"
        )
    return split_columns(x, heads), y.unflatten(-2, (heads, -1)) if by_row else split_columns(y, heads)


def merge_columns(parts: Tensor) -> Tensor:
    """The matrices of all heads, concatenated by columns."""
    return parts.transpose(-2, -3).flatten(-2)


def merge_like(parts: Tensor, matrix: Tensor) -> Tensor:
    """The inverse of split_heads: the matrices of all heads, concatenated by rows or columns."""
    return parts.flatten(-3, -2) if parts.shape[-1] == matrix.shape[-1] else merge_columns(parts)


def split_columns(matrix: Tensor, heads: int) -> Tensor:
    return matrix.unflatten(-1, (heads, -1)).transpose(-2, -3)
