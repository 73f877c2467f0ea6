"""Variance and standard deviation."""

from __future__ import annotations

import math
from typing import Any

from refluid.alpha.common import into
from refluid.core.dtypes import is_floating
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.naming import LayerName
from refluid.layers.creation import fill_constant
from refluid.layers.indexing import slice
from refluid.layers.numbers import ints, need_variable, stopped
from refluid.layers.shape import concat, shape
from refluid.layers.tensor import cast
from refluid.ops.math.elementwise import elementwise_div, elementwise_max
from refluid.ops.math.reduce import reduce_mean, reduce_prod
from refluid.ops.math.scale import scale
from refluid.ops.math.unary import sqrt, square


def var(
    input: Any, axis: Any = None, keepdim: bool = False, unbiased: bool = True, out: Any = None, name: str | None = None
) -> Any:
    """The variance along axes.

    Args:
        input: float32 or float64.
        axis: the axis or the axes; None: all.
        keepdim: keep the axes, with size 1.
        unbiased: divide by n - 1 instead of n; the variance of one element is 0 then.
        out: the variable that takes the result, if it is not to be a new one.
    Returns:
        A variable without these axes; of shape [1] if none is left.
    """
    need_variable("var: input", input)
    return _variance("var", input, axis, keepdim, unbiased, LayerName("var", name), out)


def std(
    input: Any, axis: Any = None, keepdim: bool = False, unbiased: bool = True, out: Any = None, name: str | None = None
) -> Any:
    """The standard deviation along axes: the square root of `var`, whose arguments it has."""
    need_variable("std: input", input)
    layer = LayerName("std", name)
    return sqrt(_variance("std", input, axis, keepdim, unbiased, layer), name=layer, outs=into(out))


def _variance(
    what: str, input: Any, axis: Any, keepdim: bool, unbiased: bool, layer: LayerName, out: Any = None
) -> Any:
    if not is_floating(input.dtype):
        raise DtypeError(f"{what}: input must be float32 or float64, got {input.name} of {input.dtype.name}")
    over = _reduced(what, axis, len(input.shape))
    mean = reduce_mean(input, name=layer, dim=over, keep_dim=True)
    squares = square(input - mean, name=layer)
    if not unbiased:
        return reduce_mean(squares, name=layer, outs=into(out), dim=over, keep_dim=keepdim)
    found = reduce_mean(squares, name=layer, dim=over, keep_dim=keepdim)
    sizes = [input.shape[i] for i in over]
    if min(sizes, default=1) >= 0:
        count = math.prod(sizes)
        return scale(found, name=layer, outs=into(out), scale=count / (count - 1) if count > 1 else 0.0)
    return scale(found, _correction(input, over, layer), name=layer, outs=into(out))


def _reduced(what: str, axis: Any, rank: int) -> list[int]:
    """The axes, none of them negative; all if none is named."""
    named = ints(f"{what}: axis", axis if isinstance(axis, list | tuple) else [] if axis is None else [axis])
    if any(not -rank <= one < rank for one in named):
        raise ArgumentError(f"{what}: axis must be in [{-rank}, {rank - 1}], got {axis!r}")
    return sorted({one % rank for one in named}) or list(range(rank))


def _correction(input: Any, over: list[int], layer: LayerName) -> Any:
    """n / (n - 1) for a number n of elements that only a run tells, as a variable [1].

    It is 1 for n = 1: the variance of one element is 0 without it.
    """
    whole = shape(input)
    sizes = [slice(whole, [0], [i], [i + 1]) for i in over]
    count = cast(reduce_prod(concat(sizes), name=layer, dim=[0]), input.dtype)
    one_less = elementwise_max(count - 1.0, fill_constant([1], input.dtype, 1.0), name=layer)
    return stopped(elementwise_div(count, one_less, name=layer))
