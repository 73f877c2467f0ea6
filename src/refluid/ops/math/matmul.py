"""matmul: the matrix product of the last two axes, for every matrix of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refluid.core.errors import ShapeError
from refluid.ops.infer import Spec
from refluid.ops.math import products
from refluid.ops.math.broadcasting import broadcast_shape, mixed_dtypes, unbroadcast
from refluid.ops.math.heads import merge_columns, merge_like, split_columns, split_heads
from refluid.ops.math.products import weight_grad
from refluid.ops.registry import FLOATS, Tensor, op
from refluid.ops.scalars import number

# What Fluid's fusion passes for its own kernel libraries leave in an inference program.
_FUSED = {"fused_reshape_Out": "INTS", "fused_transpose_Out": "INTS"}


@op(
    "Out",
    lod="X",
    dtypes={"X": FLOATS, "Y": FLOATS},
    extra_attrs=_FUSED,
    fresh=True,
    grad_hints="use_mkldnn use_quantizer force_fp32_output Scale_out Scale_x Scale_y "
    "fused_reshape_Out fused_transpose_Out",
)
def matmul(
    X: Tensor,
    Y: Tensor,
    *,
    transpose_X: bool = False,
    transpose_Y: bool = False,
    alpha: float = 1.0,
    head_number: int = 1,
) -> Tensor:
    """Out = alpha * op(X).op(Y). A vector is a row as X and a column as Y; its own axis is missing from Out.

    With several heads, Out holds the products of their parts of X and Y side by side; see `split_heads`.
    """
    if X.dtype is not Y.dtype:
        raise mixed_dtypes(X.dtype, Y.dtype)
    if head_number > 1:
        x, y = split_heads(op_x(X, transpose_X), op_y(Y, transpose_Y), head_number)
        return merge_columns(matmul.kernel(x, y, alpha=alpha))
    x, y = op_x(X, transpose_X), op_y(Y, transpose_Y)
    try:
        out = products.matmul(x, y)
    except RuntimeError:
        product_shape(X.shape, Y.shape, transpose_X, transpose_Y)
        raise
    if out.dim() == 0:
        out = out.reshape(1)
    return out if alpha == 1.0 else out.mul_(number(alpha, out.dtype))


def op_x(x: Tensor, transpose: bool) -> Tensor:
    return x if not transpose else x.mT if x.dim() > 1 else x.unsqueeze(1)


def op_y(y: Tensor, transpose: bool) -> Tensor:
    return y if not transpose else y.mT if y.dim() > 1 else y.unsqueeze(0)


@matmul.infer
def infer_matmul(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec] | None:
    x, y = inputs
    transposed = attrs["transpose_X"], attrs["transpose_Y"]
    if x.dtype is not y.dtype:
        raise mixed_dtypes(x.dtype, y.dtype)
    if attrs["head_number"] <= 1:
        return [Spec(product_shape(x.shape, y.shape, *transposed), x.dtype)]
    _, columns = matrix_shape(x.shape, transposed[0], vector=(1, 0))
    rows, _ = matrix_shape(y.shape, transposed[1], vector=(0, 1))
    if -1 not in (columns, rows):
        return None
    shape = product_shape(x.shape, y.shape, *transposed)
    return [Spec((*shape[:-1], -1), x.dtype)]  # whether the heads of Y are rows or columns is not known yet


def product_shape(x: Sequence[int], y: Sequence[int], transpose_x: bool, transpose_y: bool) -> tuple[int, ...]:
    """The shape of the product, or an error. -1 is an unknown size."""
    # As matrices: a vector is one row as X and one column as Y, or the other way round if transposed.
    rows, inner_x = matrix_shape(x, transpose_x, vector=(1, x[0]))
    inner_y, columns = matrix_shape(y, transpose_y, vector=(y[0], 1))
    if inner_x != inner_y and -1 not in (inner_x, inner_y):
        raise ShapeError(
            f"X{'^T' * transpose_x} has {inner_x} columns, but Y{'^T' * transpose_y} has {inner_y} rows "
            f"(shapes {list(x)} and {list(y)})"
        )
    try:
        out = broadcast_shape(x[:-2], y[:-2], -1)
    except ShapeError:
        raise ShapeError(f"the batches of X and Y do not broadcast (shapes {list(x)} and {list(y)})") from None
    if len(x) > 1 or transpose_x:
        out += (rows,)
    if len(y) > 1 or transpose_y:
        out += (columns,)
    return out or (1,)


def matrix_shape(shape: Sequence[int], transpose: bool, vector: tuple[int, int]) -> tuple[int, int]:
    rows, columns = vector if len(shape) == 1 else tuple(shape[-2:])
    return (columns, rows) if transpose else (rows, columns)


@matmul.grad
def matmul_grad(
    X: Tensor,
    Y: Tensor,
    Out_grad: Tensor,
    *,
    needs: tuple[bool, ...],
    transpose_X: bool,
    transpose_Y: bool,
    alpha: float,
    head_number: int,
) -> tuple[Tensor | None, Tensor | None]:
    if head_number > 1:
        x, y = op_x(X, transpose_X), op_y(Y, transpose_Y)
        x_part, y_part = split_heads(x, y, head_number)
        grad = split_columns(Out_grad, head_number)
        x_grad, y_grad = matmul_grad.kernel(
            x_part, y_part, grad, needs=needs, transpose_X=False, transpose_Y=False, alpha=alpha, head_number=1
        )
        return (
            op_x(merge_columns(x_grad), transpose_X) if x_grad is not None else None,
            op_y(merge_like(y_grad, y), transpose_Y) if y_grad is not None else None,
        )
    x = X if X.dim() > 1 else X.unsqueeze(0)
    y = Y if Y.dim() > 1 else Y.unsqueeze(1)
    grad = Out_grad
    if X.dim() == 1 or Y.dim() == 1:
        rows, columns = x.shape[-1 if transpose_X else -2], y.shape[-2 if transpose_Y else -1]
        grad = grad.reshape(*x.shape[:-2], *y.shape[:-2], rows, columns)
    x_grad = y_grad = None
    if needs[0]:
        transposed = y if transpose_Y else y.mT  # of op(Y)
        x_grad = products.matmul(transposed.mT, grad.mT) if transpose_X else products.matmul(grad, transposed)
        x_grad = finished(x_grad, x, X, alpha)
    if needs[1]:
        if y.dim() == 2 and x.dim() > 2 and not transpose_X:
            x, grad = x.flatten(0, -2), grad.flatten(0, -2)  # one matrix for the whole batch: one product, no sum
        transposed = x if transpose_X else x.mT
        if transpose_Y:
            y_grad = products.matmul(grad.mT, transposed.mT)
        else:
            matrices = x.dim() == grad.dim() == 2
            y_grad = weight_grad(transposed.mT, grad) if matrices else products.matmul(transposed, grad)
        y_grad = finished(y_grad, y, Y, alpha)
    return x_grad, y_grad


matmul_grad.postpones("Y", reads="X")


@matmul_grad.adds("Y")
def add_y(
    total: Tensor,
    X: Tensor,
    Y: Tensor,
    Out_grad: Tensor,
    *,
    transpose_X: bool,
    transpose_Y: bool,
    alpha: float,
    head_number: int,
) -> bool:
    if X.dim() != 2 or Y.dim() != 2 or transpose_X or transpose_Y or head_number > 1:
        return False
    total.addmm_(X.t(), Out_grad, alpha=alpha)
    return True


def finished(product: Tensor, matrix: Tensor, given: Tensor, alpha: float) -> Tensor:
    """The product summed over the batch, scaled, and in the shape of the input as it was given."""
    product = unbroadcast(product, matrix.shape, -1)
    if alpha != 1.0:
        product = product.mul_(number(alpha, product.dtype))
    return product if matrix is given else product.reshape(given.shape)
