"""Products, sums and other arithmetic of whole variables."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName, exactly
from refluid.layers.common import activate, as_list
from refluid.layers.numbers import is_variable, number
from refluid.ops.math import clip as clips, product
from refluid.ops.math.cos_sim import cos_sim as cos_sim_op
from refluid.ops.math.cumsum import cumsum as cumsum_op
from refluid.ops.math.elementwise import elementwise_add, elementwise_mul
from refluid.ops.math.matmul import matmul as matmul_op
from refluid.ops.math.mul import mul as mul_op
from refluid.ops.math.norm import dist as dist_op
from refluid.ops.math.scale import increment as increment_op, scale as scale_op
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.math.trace import trace as trace_op


def mul(x: Any, y: Any, x_num_col_dims: int = 1, y_num_col_dims: int = 1, name: str | None = None) -> Any:
    """The matrix product of x and y, each flattened to a matrix.

    Args:
        x_num_col_dims: this many axes of x become rows, the others columns.
        y_num_col_dims: the same for y.
    Returns:
        A variable of shape [*x.shape[:x_num_col_dims], *y.shape[y_num_col_dims:]].
    """
    return mul_op(x, y, name=name, x_num_col_dims=x_num_col_dims, y_num_col_dims=y_num_col_dims)


def matmul(
    x: Any, y: Any, transpose_x: bool = False, transpose_y: bool = False, alpha: float = 1.0, name: str | None = None
) -> Any:
    """alpha times the matrix product of the last two axes; the axes before them are a batch.

    Args:
        transpose_x, transpose_y: swap the last two axes first.
    """
    return matmul_op(
        x, y, name=name, transpose_X=transpose_x, transpose_Y=transpose_y, alpha=number("matmul: alpha", alpha)
    )


def bmm(x: Any, y: Any, name: str | None = None) -> Any:
    """The matrix products of two batches of matrices, [B, M, K] and [B, K, N]."""
    return product.bmm(x, y, name=name)


def dot(x: Any, y: Any, name: str | None = None) -> Any:
    """The inner product along the last axis, which becomes 1 long."""
    return product.dot(x, y, name=exactly(name))


def kron(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
    """The Kronecker product.

    Args:
        out: the variable that takes the result, if it is not to be a new one.
    """
    return product.kron(x, y, name=name, outs=None if out is None else {"Out": out})


def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """The cross product along an axis of size 3, the first such one unless given."""
    return product.cross(input, other) if dim is None else product.cross(input, other, dim=dim)


def addmm(input: Any, x: Any, y: Any, alpha: float = 1.0, beta: float = 1.0, name: str | None = None) -> Any:
    """beta * input + alpha * (x @ y)."""
    alpha, beta = number("addmm: alpha", alpha), number("addmm: beta", beta)
    return product.addmm(input, x, y, name=name, Alpha=alpha, Beta=beta)


def addcmul(
    input: Any, tensor1: Any, tensor2: Any, value: float = 1.0, out: Any = None, name: str | None = None
) -> Any:
    """input + value * tensor1 * tensor2.

    Args:
        out: the variable that takes the result, if it is not to be a new one.
    """
    product_of_both = elementwise_mul(tensor1, tensor2) * number("addcmul: value", value)
    return elementwise_add(input, product_of_both, outs=None if out is None else {"Out": out})


def dist(x: Any, y: Any, p: float = 2) -> Any:
    """The p-norm of x - y, with shape [1]."""
    return dist_op(x, y, p=number("dist: p", p))


def trace(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1, out: Any = None, name: str | None = None) -> Any:
    """The sum along the diagonal of two axes.

    Args:
        offset: how far above the main diagonal it lies.
        out: the variable that takes the result, if it is not to be a new one.
    """
    outs = None if out is None else {"Out": out}
    return trace_op(input, name=name, outs=outs, offset=offset, dim1=dim1, dim2=dim2)


def cos_sim(X: Any, Y: Any) -> Any:
    """The cosine of the angle between the rows of X [N, D] and Y [N, D] or [1, D], as [N, 1]."""
    return cos_sim_op(X, Y)[0]


def scale(
    x: Any, scale: Any = 1.0, bias: float = 0.0, bias_after_scale: bool = True, act: Any = None, name: str | None = None
) -> Any:
    """scale * x + bias, or scale * (x + bias).

    Args:
        scale: a number, or a variable [1].
        bias_after_scale: which of the two.
        act: the name of an activation.
    """
    bias = number("scale: bias", bias)
    if act is None and isinstance(scale, int | float):  # the common case, without anything around it
        return scale_op(x, name=name, scale=float(scale), bias=bias, bias_after_scale=bias_after_scale)
    layer = LayerName("scale", name)
    if is_variable(scale):
        out = scale_op(x, scale, name=layer, bias=bias, bias_after_scale=bias_after_scale)
    else:
        out = scale_op(x, name=layer, scale=number("scale: scale", scale), bias=bias, bias_after_scale=bias_after_scale)
    return activate(out, act, layer)


def sum(x: Any) -> Any:
    """The sum of a list of variables of one shape."""
    return sum_op(as_list(x))


def sums(input: Any, out: Any = None) -> Any:
    """The sum of a list of variables of one shape.

    Args:
        out: the variable that takes the result, if it is not to be a new one; it may be one of the list.
    """
    return sum_op(as_list(input), outs=None if out is None else {"Out": out})


def clip(x: Any, min: float, max: float, name: str | None = None) -> Any:
    """Every element moved into [min, max]."""
    return clips.clip(x, name=exactly(name), min=number("clip: min", min), max=number("clip: max", max))


def clamp(input: Any, min: Any = None, max: Any = None, output: Any = None, name: str | None = None) -> Any:
    """Every element moved into [min, max].

    Args:
        min, max: numbers or variables [1]; None: no limit on that side.
        output: the variable that takes the result, if it is not to be a new one.
    """
    if min is None and max is None:
        raise ArgumentError("clamp: min or max must be given")
    limits = [value if is_variable(value) else None for value in (min, max)]
    low = float("-inf") if min is None or is_variable(min) else number("clamp: min", min)
    high = float("inf") if max is None or is_variable(max) else number("clamp: max", max)
    outs = None if output is None else {"Out": output}
    return clips.clip(input, *limits, name=LayerName("clamp", name), outs=outs, min=low, max=high)


def clip_by_norm(x: Any, max_norm: float, name: str | None = None) -> Any:
    """x scaled down so that its Euclidean norm is at most max_norm."""
    return clips.clip_by_norm(x, name=exactly(name), max_norm=number("clip_by_norm: max_norm", max_norm))


def cumsum(x: Any, axis: int | None = None, exclusive: bool | None = None, reverse: bool | None = None) -> Any:
    """Running sums along an axis.

    Args:
        axis: the last one unless given.
        exclusive: leave the element itself out.
        reverse: begin at the end.
    """
    given: dict[str, Any] = {"axis": axis, "exclusive": exclusive, "reverse": reverse}
    return cumsum_op(x, **{key: value for key, value in given.items() if value is not None})


def increment(x: Any, value: float = 1.0, in_place: bool = True) -> Any:
    """x + value for a variable of one element; x itself holds the result if in_place."""
    return increment_op(x, step=number("increment: value", value), outs={"Out": x} if in_place else None)
