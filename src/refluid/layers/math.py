"""Products, sums and other arithmetic of whole variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName, exactly
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable, number, number_or_text
from refluid.layers.common import activate, as_list
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


def mul(
    x: BaseVariable, y: BaseVariable, x_num_col_dims: int = 1, y_num_col_dims: int = 1, name: str | None = None
) -> BaseVariable:
    """The matrix product of x and y, each flattened to a matrix.

    Args:
        x: a float variable of at least two axes.
        y: a float variable of at least two axes.
        x_num_col_dims: this many leading axes of x are flattened into the rows, the others into the columns.
        y_num_col_dims: the same for y.

    Returns:
        A variable of shape [*x.shape[:x_num_col_dims], *y.shape[y_num_col_dims:]] with the LoD of x.

    Example:
        >>> x = fluid.data("x", [None, 2, 3])
        >>> y = fluid.data("y", [6, 5])
        >>> fluid.layers.mul(x, y).shape
        (-1, 5)
    """
    return mul_op(x, y, name=name, x_num_col_dims=x_num_col_dims, y_num_col_dims=y_num_col_dims)


def matmul(
    x: BaseVariable,
    y: BaseVariable,
    transpose_x: bool = False,
    transpose_y: bool = False,
    alpha: float = 1.0,
    name: str | None = None,
) -> BaseVariable:
    """alpha * (x @ y): matrix products over the last two axes, with the axes before them broadcast as a batch.

    Args:
        x: a float variable [..., M, K]; a vector [K] counts as [1, K].
        y: a float variable [..., K, N]; a vector [K] counts as [K, 1].
        transpose_x: swap the last two axes of x first.
        transpose_y: swap the last two axes of y first.
        alpha: the factor of the product.

    Returns:
        A variable [..., M, N].

    Example:
        >>> x, y = fluid.data("x", [None, 4, 3]), fluid.data("y", [None, 5, 3])
        >>> fluid.layers.matmul(x, y, transpose_y=True).shape
        (-1, 4, 5)
    """
    return matmul_op(
        x, y, name=name, transpose_X=transpose_x, transpose_Y=transpose_y, alpha=number("matmul: alpha", alpha)
    )


def bmm(x: BaseVariable, y: BaseVariable, name: str | None = None) -> BaseVariable:
    """The matrix products of two batches of matrices.

    Args:
        x: a float variable [B, M, K].
        y: a float variable [B, K, N].

    Returns:
        A variable [B, M, N].
    """
    return product.bmm(x, y, name=name)


def dot(x: BaseVariable, y: BaseVariable, name: str | None = None) -> BaseVariable:
    """The inner product along the last axis.

    Args:
        x: a numeric variable [D] or [N, D].
        y: a variable of the shape and dtype of x.

    Returns:
        A variable [1] or [N, 1].
    """
    return product.dot(x, y, name=exactly(name))


def kron(x: BaseVariable, y: BaseVariable, out: BaseVariable | None = None, name: str | None = None) -> BaseVariable:
    """The Kronecker product: every element of x times the whole of y.

    Args:
        x: a numeric variable [a, b, ...].
        y: a variable [c, d, ...] of the dtype of x.
        out: the variable that takes the result; None for a new one.

    Returns:
        A variable [a * c, b * d, ...].
    """
    return product.kron(x, y, name=name, outs=None if out is None else {"Out": out})


def cross(input: BaseVariable, other: BaseVariable, dim: int | None = None) -> BaseVariable:
    """The cross product along an axis of size 3.

    Args:
        input: a numeric variable of any shape with an axis of size 3.
        other: a variable of the shape and dtype of input.
        dim: the axis; None for the first one of size 3.

    Returns:
        A variable of the shape of input.
    """
    return product.cross(input, other) if dim is None else product.cross(input, other, dim=dim)


def addmm(
    input: BaseVariable,
    x: BaseVariable,
    y: BaseVariable,
    alpha: float = 1.0,
    beta: float = 1.0,
    name: str | None = None,
) -> BaseVariable:
    """beta * input + alpha * (x @ y).

    Args:
        input: a float variable [M, N], or broadcast to it.
        x: a float variable [M, K].
        y: a float variable [K, N].
        alpha: the factor of the product.
        beta: the factor of input.

    Returns:
        A variable [M, N].
    """
    alpha, beta = number("addmm: alpha", alpha), number("addmm: beta", beta)
    return product.addmm(input, x, y, name=name, Alpha=alpha, Beta=beta)


def addcmul(
    input: BaseVariable,
    tensor1: BaseVariable,
    tensor2: BaseVariable,
    value: float = 1.0,
    out: BaseVariable | None = None,
    name: str | None = None,
) -> BaseVariable:
    """input + value * tensor1 * tensor2, element by element.

    Args:
        input: a numeric variable of any shape.
        tensor1: a variable of the shape and dtype of input.
        tensor2: a variable of the shape and dtype of input.
        value: the factor of the product.
        out: the variable that takes the result; None for a new one.

    Returns:
        A variable of the shape of input.
    """
    product_of_both = elementwise_mul(tensor1, tensor2) * number("addcmul: value", value)
    return elementwise_add(input, product_of_both, outs=None if out is None else {"Out": out})


def dist(x: BaseVariable, y: BaseVariable, p: float = 2) -> BaseVariable:
    """The p-norm of x - y over all elements.

    Args:
        x: a float variable of any shape.
        y: a float variable, broadcast against x; of any shape that allows it.
        p: the order of the norm; 0 counts the elements that differ, inf and -inf give the largest and smallest.

    Returns:
        A variable [1].
    """
    return dist_op(x, y, p=number("dist: p", p))


def trace(
    input: BaseVariable,
    offset: int = 0,
    dim1: int = 0,
    dim2: int = 1,
    out: BaseVariable | None = None,
    name: str | None = None,
) -> BaseVariable:
    """The sums of the diagonals of the matrices in two axes.

    Args:
        input: a numeric variable with at least two axes.
        offset: the diagonal; 0 the main one, positive above it, negative below it.
        dim1: the axis of the rows.
        dim2: the axis of the columns.
        out: the variable that takes the result; None for a new one.

    Returns:
        A variable without the two axes; [1] for a matrix.
    """
    outs = None if out is None else {"Out": out}
    return trace_op(input, name=name, outs=outs, offset=offset, dim1=dim1, dim2=dim2)


def cos_sim(X: BaseVariable, Y: BaseVariable) -> BaseVariable:
    """sum(X * Y) / (||X|| * ||Y||): the cosine similarity of rows.

    Args:
        X: a float variable [N, D].
        Y: a float variable [N, D], or [1, D] for one row against all.

    Returns:
        A variable [N, 1] with the LoD of X.

    Example:
        >>> x, y = fluid.data("x", [None, 8]), fluid.data("y", [None, 8])
        >>> fluid.layers.cos_sim(x, y).shape
        (-1, 1)
    """
    return cos_sim_op(X, Y)[0]


def scale(
    x: BaseVariable,
    scale: float | BaseVariable = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
    act: str | None = None,
    name: str | None = None,
) -> BaseVariable:
    """scale * x + bias, or scale * (x + bias).

    Args:
        x: a numeric variable of any shape.
        scale: a number, or a numeric variable [1].
        bias: a number.
        bias_after_scale: True for the first formula, False for the second.
        act: the name of an activation, "relu" for example.

    Returns:
        A variable of the shape, dtype and LoD of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([1.0, 2.0], "float32"))
        ...     fluid.layers.scale(x, scale=2.0, bias=1.0).numpy().tolist()
        [3.0, 5.0]
    """
    bias = number("scale: bias", bias)
    if act is None and isinstance(scale, int | float):  # the common case, without a layer name
        return scale_op(x, name=name, scale=float(scale), bias=bias, bias_after_scale=bias_after_scale)
    layer = LayerName("scale", name)
    if is_variable(scale):
        out = scale_op(x, scale, name=layer, bias=bias, bias_after_scale=bias_after_scale)
    else:
        out = scale_op(
            x, name=layer, scale=number_or_text("scale: scale", scale), bias=bias, bias_after_scale=bias_after_scale
        )
    return activate(out, act, layer)


def sum(x: BaseVariable | Sequence[BaseVariable]) -> BaseVariable:
    """The sum of several variables, element by element.

    Args:
        x: a variable, or a list of variables of one shape and dtype.

    Returns:
        A variable of their shape and dtype.

    Example:
        >>> x = fluid.layers.fill_constant([2, 3], "float32", 1.0)
        >>> fluid.layers.sum([x, x]).shape
        (2, 3)
    """
    return sum_op(as_list(x))


def sums(input: BaseVariable | Sequence[BaseVariable], out: BaseVariable | None = None) -> BaseVariable:
    """The sum of several variables, element by element.

    Args:
        input: a variable, or a list of variables of one shape and dtype.
        out: the variable that takes the result, which may be one of the list; None for a new one.

    Returns:
        A variable of their shape and dtype.

    Example:
        >>> x = fluid.layers.fill_constant([2, 3], "float32", 1.0)
        >>> fluid.layers.sums([x, x, x]).shape
        (2, 3)
    """
    return sum_op(as_list(input), outs=None if out is None else {"Out": out})


def clip(x: BaseVariable, min: float, max: float, name: str | None = None) -> BaseVariable:
    """min(max(x, min), max), element by element.

    Args:
        x: a float variable of any shape.
        min: the lower bound, a number.
        max: the upper bound, a number.

    Returns:
        A variable of the shape, dtype and LoD of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([-3.0, 0.5, 9.0], "float32"))
        ...     fluid.layers.clip(x, min=-1.0, max=1.0).numpy().tolist()
        [-1.0, 0.5, 1.0]
    """
    return clips.clip(x, name=exactly(name), min=number("clip: min", min), max=number("clip: max", max))


def clamp(
    input: BaseVariable,
    min: float | BaseVariable | None = None,
    max: float | BaseVariable | None = None,
    output: BaseVariable | None = None,
    name: str | None = None,
) -> BaseVariable:
    """min(max(input, min), max), element by element, with bounds that may be variables.

    Args:
        input: a float variable of any shape.
        min: the lower bound, a number or a variable [1] of the dtype of input; None for none.
        max: the upper bound, likewise; one of the two must be given.
        output: the variable that takes the result; None for a new one.

    Returns:
        A variable of the shape and dtype of input.
    """
    if min is None and max is None:
        raise ArgumentError("clamp: min or max must be given")
    limits = [value if is_variable(value) else None for value in (min, max)]
    low = float("-inf") if min is None or is_variable(min) else number("clamp: min", min)
    high = float("inf") if max is None or is_variable(max) else number("clamp: max", max)
    outs = None if output is None else {"Out": output}
    return clips.clip(input, *limits, name=LayerName("clamp", name), outs=outs, min=low, max=high)


def clip_by_norm(x: BaseVariable, max_norm: float, name: str | None = None) -> BaseVariable:
    """x * max_norm / max(||x||, max_norm): x scaled down to a Euclidean norm of at most max_norm.

    Args:
        x: a float variable of any shape.
        max_norm: the largest norm of the result.

    Returns:
        A variable of the shape and dtype of x.
    """
    return clips.clip_by_norm(x, name=exactly(name), max_norm=number("clip_by_norm: max_norm", max_norm))


def cumsum(
    x: BaseVariable, axis: int | None = None, exclusive: bool | None = None, reverse: bool | None = None
) -> BaseVariable:
    """Cumulative sums along an axis.

    Args:
        x: a numeric variable of any shape.
        axis: the axis; None for the last.
        exclusive: element i of the result is the sum of those before i, without i.
        reverse: sum from the end.

    Returns:
        A variable of the shape and dtype of x.
    """
    attrs: dict[str, Any] = {"axis": axis, "exclusive": exclusive, "reverse": reverse}
    return cumsum_op(x, **{key: value for key, value in attrs.items() if value is not None})


def increment(x: BaseVariable, value: float = 1.0, in_place: bool = True) -> BaseVariable:
    """x + value.

    Args:
        x: a numeric variable of one element.
        value: a number.
        in_place: x itself takes the result.

    Returns:
        x if in_place, else a new variable [1].

    Example:
        >>> step = fluid.layers.fill_constant([1], "int64", 0)
        >>> fluid.layers.increment(step, value=2) is step
        True
    """
    return increment_op(x, step=number("increment: value", value), outs={"Out": x} if in_place else None)
