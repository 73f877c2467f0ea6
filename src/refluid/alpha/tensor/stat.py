"""Variance and standard deviation."""

from __future__ import annotations

import math

from refluid.alpha.common import into
from refluid.core.dtypes import is_floating
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.naming import LayerName
from refluid.core.types import Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import ints, need_variable
from refluid.layers.creation import fill_constant
from refluid.layers.indexing import slice
from refluid.layers.mixed import stopped
from refluid.layers.shape import concat, shape
from refluid.layers.tensor import cast
from refluid.ops.math.elementwise import elementwise_div, elementwise_max
from refluid.ops.math.reduce import reduce_mean, reduce_prod
from refluid.ops.math.scale import scale
from refluid.ops.math.unary import sqrt, square


def var(
    input: BaseVariable,
    axis: Ints | None = None,
    keepdim: bool = False,
    unbiased: bool = True,
    out: BaseVariable | None = None,
    name: str | None = None,
) -> BaseVariable:
    """The variance over axes: the mean of (input - mean) ** 2.

    Args:
        input: a float32 or float64 variable of any shape.
        axis: the axis or the axes to reduce; None for all.
        keepdim: keep the reduced axes, with size 1.
        unbiased: divide by n - 1 instead of n; the variance of one element is then 0.
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable without the reduced axes; of shape [1] if none is left.
    """
    need_variable("var: input", input)
    return _variance("var", input, axis, keepdim, unbiased, LayerName("var", name), out)


def std(
    input: BaseVariable,
    axis: Ints | None = None,
    keepdim: bool = False,
    unbiased: bool = True,
    out: BaseVariable | None = None,
    name: str | None = None,
) -> BaseVariable:
    """The standard deviation over axes: the square root of `var`.

    Args:
        input: a float32 or float64 variable of any shape.
        axis: the axis or the axes to reduce; None for all.
        keepdim: keep the reduced axes, with size 1.
        unbiased: divide by n - 1 instead of n; the variance of one element is then 0.
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable without the reduced axes; of shape [1] if none is left.
    """
    need_variable("std: input", input)
    layer = LayerName("std", name)
    return sqrt(_variance("std", input, axis, keepdim, unbiased, layer), name=layer, outs=into(out))


def _variance(
    what: str,
    input: BaseVariable,
    axis: Ints | None,
    keepdim: bool,
    unbiased: bool,
    layer: LayerName,
    out: BaseVariable | None = None,
) -> BaseVariable:
    if not is_floating(input.dtype):
        raise DtypeError(f"{what}: input must be float32 or float64, got {input.name} of {input.dtype.name}")
    over = _reduced(what, axis, len(input.shape))
    mean = reduce_mean(input, name=layer, dim=over, keep_dim=True)
    squares = square(input - mean, name=layer)
    if not unbiased:
        return reduce_mean(squares, name=layer, outs=into(out), dim=over, keep_dim=keepdim)
    biased = reduce_mean(squares, name=layer, dim=over, keep_dim=keepdim)
    sizes = [input.shape[i] for i in over]
    if min(sizes, default=1) >= 0:
        count = math.prod(sizes)
        return scale(biased, name=layer, outs=into(out), scale=count / (count - 1) if count > 1 else 0.0)
    return scale(biased, _correction(input, over, layer), name=layer, outs=into(out))


def _reduced(what: str, axis: Ints | None, rank: int) -> list[int]:
    """The axes, none of them negative; all if none is named."""
    named = ints(f"{what}: axis", axis if isinstance(axis, list | tuple) else [] if axis is None else [axis])
    if any(not -rank <= i < rank for i in named):
        raise ArgumentError(f"{what}: axis must be in [{-rank}, {rank - 1}], got {axis!r}")
    return sorted({i % rank for i in named}) or list(range(rank))


def _correction(input: BaseVariable, over: list[int], layer: LayerName) -> BaseVariable:
    """n / (n - 1) for a number n of elements that only a run tells, as a variable [1].

    It is 1 for n = 1: the variance of one element is 0 without it.
    """
    whole = shape(input)
    sizes = [slice(whole, [0], [i], [i + 1]) for i in over]
    count = cast(reduce_prod(concat(sizes), name=layer, dim=[0]), input.dtype)
    one_less = elementwise_max(count - 1.0, fill_constant([1], input.dtype, 1.0), name=layer)
    return stopped(elementwise_div(count, one_less, name=layer))
