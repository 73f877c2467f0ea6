"""Products, norms and factors of matrices."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from refluid.alpha.common import into
from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.core.types import Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import ints, need_variable
from refluid.ops.math import linalg as ops
from refluid.ops.math.matmul import matmul as matmul_op
from refluid.ops.math.mul import mul as mul_op
from refluid.ops.math.norm import p_norm
from refluid.ops.math.pow import pow as pow_op
from refluid.ops.math.reduce import frobenius_norm, reduce_max, reduce_min, reduce_sum
from refluid.ops.math.unary import abs as abs_op


def mm(
    input: BaseVariable, mat2: BaseVariable, out: BaseVariable | None = None, name: str | None = None
) -> BaseVariable:
    """Matrix product over the last two axes; leading axes are batch axes.

    Args:
        input: a float variable of shape [..., n, k].
        mat2: a float variable of shape [..., k, m].
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable of shape [..., n, m].
    """
    return matmul_op(input, mat2, name=LayerName("mm", name), outs=into(out))


def mul(
    x: BaseVariable,
    y: BaseVariable,
    x_num_col_dims: int = 1,
    y_num_col_dims: int = 1,
    out: BaseVariable | None = None,
    name: str | None = None,
) -> BaseVariable:
    """Matrix product of x and y, each flattened to a matrix.

    Args:
        x: a float variable of at least two axes.
        y: a float variable of at least two axes.
        x_num_col_dims: the number of leading axes of x that become rows; the others become columns.
        y_num_col_dims: the same for y.
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable of shape [*x.shape[:x_num_col_dims], *y.shape[y_num_col_dims:]].
    """
    return mul_op(x, y, name=name, outs=into(out), x_num_col_dims=x_num_col_dims, y_num_col_dims=y_num_col_dims)


def inverse(input: BaseVariable, out: BaseVariable | None = None, name: str | None = None) -> BaseVariable:
    """The inverse of every matrix in the last two axes.

    Args:
        input: a float variable of shape [..., n, n].
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable of shape [..., n, n].
    """
    return ops.inverse(input, name=name, outs=into(out, "Output"))


def cholesky(x: BaseVariable, upper: bool = False) -> BaseVariable:
    """The Cholesky factor of symmetric positive definite matrices: L with L L^T = x, or U with U^T U = x.

    Args:
        x: a float variable of shape [..., n, n].
        upper: return U instead of L.

    Returns:
        A variable of shape [..., n, n].
    """
    return ops.cholesky(x, upper=upper)


def norm(
    input: BaseVariable,
    p: float | str = "fro",
    axis: Ints | None = None,
    keepdim: bool = False,
    out: BaseVariable | None = None,
    name: str | None = None,
) -> BaseVariable:
    """The norm of vectors or matrices.

    Args:
        input: a float32 or float64 variable of any shape.
        p: "fro" for the Frobenius norm; a number above 0 for (sum of |x| ** p) ** (1 / p); inf or -inf for the largest
            or the smallest |x|.
        axis: one axis for vector norms along it, two for matrix norms, None for all elements.
        keepdim: keep the reduced axes, with size 1.
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable without the reduced axes; of shape [1] if none is left.
    """
    need_variable("norm: input", input)
    rank = len(input.shape)
    named = ints("norm: axis", axis if isinstance(axis, list | tuple) else [] if axis is None else [axis])
    fit = all(-rank <= i < rank for i in named) and len({i % rank for i in named}) == len(named)
    if len(named) > 2 or not fit:
        raise ShapeError(
            f"norm: axis must be one axis or two different ones in [{-rank}, {rank - 1}] or None, got {axis!r}"
        )
    over: dict[str, Any] = {"dim": named or [0], "keep_dim": keepdim, "reduce_all": not named}
    if p == "fro" and len(named) == 1:
        p = 2
    if p == "fro":
        return frobenius_norm(input, name=LayerName("frobenius_norm", name), outs=into(out), **over)
    order = float(p) if isinstance(p, Real) else 0.0
    if order <= 0 and order != -math.inf:
        raise ArgumentError(f"norm: p must be 'fro', a number above 0, inf or -inf, got {p!r}")
    layer = LayerName("p_norm", name)
    if math.isinf(order):
        return (reduce_max if order > 0 else reduce_min)(abs_op(input, name=layer), name=layer, outs=into(out), **over)
    if len(named) == 1:
        return p_norm(input, name=layer, outs=into(out), porder=order, axis=named[0], keepdim=keepdim)
    total = reduce_sum(pow_op(abs_op(input, name=layer), name=layer, factor=order), name=layer, **over)
    return pow_op(total, name=layer, outs=into(out), factor=1.0 / order)
