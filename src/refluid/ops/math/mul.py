"""mul: the matrix product of two tensors, each flattened to a matrix."""

from __future__ import annotations

import math
from typing import Any

from refluid.core.errors import ShapeError
from refluid.ops.infer import Spec
from refluid.ops.math.broadcasting import mixed_dtypes
from refluid.ops.math.products import mm, weight_grad
from refluid.ops.registry import FLOATS, Tensor, op

_QUANTIZED = {"scale_x": "FLOAT", "scale_y": "FLOATS", "scale_out": "FLOAT", "force_fp32_output": "BOOLEAN"}


@op(
    "Out",
    lod="X",
    dtypes={"X": FLOATS, "Y": FLOATS},
    extra_attrs=_QUANTIZED,
    fresh=True,
    grad_hints="use_mkldnn force_fp32_output scale_x scale_y scale_out",
)
def mul(X: Tensor, Y: Tensor, *, x_num_col_dims: int = 1, y_num_col_dims: int = 1) -> Tensor:
    """Out = X.Y, where the first *_num_col_dims axes make the rows and the others the columns."""
    if (
        X.dim() == 2
        and Y.dim() == 2
        and X.shape[1] == Y.shape[0]
        and X.dtype is Y.dtype
        and x_num_col_dims == y_num_col_dims == 1
    ):
        return mm(X, Y)
    shape = product_shape(X, Y, x_num_col_dims, y_num_col_dims)
    return mm(as_matrix(X, x_num_col_dims), as_matrix(Y, y_num_col_dims)).reshape(shape)


@mul.infer
def infer_mul(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    x, y = inputs
    return [Spec(product_shape(x, y, attrs["x_num_col_dims"], attrs["y_num_col_dims"]), x.dtype)]


@mul.grad
def mul_grad(
    X: Tensor, Y: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...], x_num_col_dims: int, y_num_col_dims: int
) -> tuple[Tensor | None, Tensor | None]:
    if X.dim() == 2 and Y.dim() == 2:
        return mm(Out_grad, Y.t()) if needs[0] else None, weight_grad(X, Out_grad) if needs[1] else None
    x, y = as_matrix(X, x_num_col_dims), as_matrix(Y, y_num_col_dims)
    out_grad = Out_grad.reshape(x.shape[0], y.shape[1])
    x_grad = mm(out_grad, y.t()).reshape(X.shape) if needs[0] else None
    y_grad = weight_grad(x, out_grad).reshape(Y.shape) if needs[1] else None
    return x_grad, y_grad


mul_grad.postpones("Y", reads="X")


@mul_grad.adds("Y")
def add_y(total: Tensor, X: Tensor, Y: Tensor, Out_grad: Tensor, *, x_num_col_dims: int, y_num_col_dims: int) -> bool:
    if X.dim() != 2 or Y.dim() != 2:
        return False
    total.addmm_(X.t(), Out_grad)
    return True


def as_matrix(t: Tensor, columns_from: int) -> Tensor:
    if t.dim() == 2 and columns_from == 1:
        return t
    return t.reshape(math.prod(t.shape[:columns_from]), math.prod(t.shape[columns_from:]))


def product_shape(X: Tensor | Spec, Y: Tensor | Spec, x_num_col_dims: int, y_num_col_dims: int) -> tuple[int, ...]:
    """The shape of the product of two tensors or specs, or an error. -1 is an unknown size."""
    x, y = tuple(X.shape), tuple(Y.shape)
    if X.dtype is not Y.dtype:
        raise mixed_dtypes(X.dtype, Y.dtype)
    for name, shape, columns_from in (("X", x, x_num_col_dims), ("Y", y, y_num_col_dims)):
        if not 0 < columns_from < len(shape):
            raise ShapeError(f"{name} of rank {len(shape)} cannot be flattened to a matrix at axis {columns_from}")
    columns, rows = x[x_num_col_dims:], y[:y_num_col_dims]
    if -1 not in columns and -1 not in rows and math.prod(columns) != math.prod(rows):
        raise ShapeError(
            f"X flattened from axis {x_num_col_dims} has {math.prod(columns)} columns, but Y has {math.prod(rows)} rows"
        )
    return x[:x_num_col_dims] + y[y_num_col_dims:]
