"""mul: the matrix product of two tensors, each flattened to a matrix."""

from __future__ import annotations

import math

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


def as_matrix(t: Tensor, columns_from: int) -> Tensor:
    return t if t.dim() == 2 and columns_from == 1 else t.reshape(math.prod(t.shape[:columns_from]), -1)


@op("Out", lod="X", dtypes={"X": FLOATS, "Y": FLOATS})
def mul(X: Tensor, Y: Tensor, *, x_num_col_dims: int = 1, y_num_col_dims: int = 1) -> Tensor:
    """Out = X.Y, where the first *_num_col_dims axes make the rows and the others the columns."""
    x, y = as_matrix(X, x_num_col_dims), as_matrix(Y, y_num_col_dims)
    if x.shape[1] != y.shape[0]:
        raise ShapeError(
            f"X flattened from axis {x_num_col_dims} has {x.shape[1]} columns, but Y has {y.shape[0]} rows"
        )
    out = torch.mm(x, y)
    if X.dim() == 2 and Y.dim() == 2:
        return out
    return out.reshape(X.shape[:x_num_col_dims] + Y.shape[y_num_col_dims:])


@mul.grad
def mul_grad(
    X: Tensor, Y: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...], x_num_col_dims: int, y_num_col_dims: int
) -> tuple[Tensor | None, Tensor | None]:
    x, y = as_matrix(X, x_num_col_dims), as_matrix(Y, y_num_col_dims)
    out_grad = Out_grad.reshape(x.shape[0], y.shape[1])
    x_grad = torch.mm(out_grad, y.t()).reshape(X.shape) if needs[0] else None
    y_grad = torch.mm(x.t(), out_grad).reshape(Y.shape) if needs[1] else None
    return x_grad, y_grad
