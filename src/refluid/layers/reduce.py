"""Reductions along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.core.naming import LayerName
from refluid.layers.numbers import ints
from refluid.ops.math import reduce as ops
from refluid.ops.math.mean import mean as mean_op
from refluid.ops.registry import OpDef


def reduction(op: OpDef, what: str) -> Callable:
    """The layer function of a reducing operator."""

    def layer(input: Any, dim: Any = None, keep_dim: bool = False, name: str | None = None) -> Any:
        if dim is None:
            return op(input, name=name, dim=[0], keep_dim=keep_dim, reduce_all=True)
        return op(input, name=name, keep_dim=keep_dim, **axes(op.type, dim))

    layer.__name__ = layer.__qualname__ = op.type
    layer.__doc__ = f"""{what}

    Args:
        dim: the axis or the axes to reduce; None: all.
        keep_dim: keep them, with size 1.
    Returns:
        A variable without these axes; of shape [1] if none is left.
    """
    return layer


def axes(what: str, dim: Any) -> dict[str, Any]:
    """The attributes that say which axes are reduced."""
    found = ints(f"{what}: dim", dim if isinstance(dim, list | tuple) else [dim])
    return {"dim": found or [0], "reduce_all": not found}


reduce_sum = reduction(ops.reduce_sum, "The sum along axes.")
reduce_mean = reduction(ops.reduce_mean, "The mean along axes.")
reduce_max = reduction(ops.reduce_max, "The largest element along axes.")
reduce_min = reduction(ops.reduce_min, "The smallest element along axes.")
reduce_prod = reduction(ops.reduce_prod, "The product along axes.")
reduce_all = reduction(ops.reduce_all, "Whether all elements along axes are true.")
reduce_any = reduction(ops.reduce_any, "Whether any element along axes is true.")


def mean(x: Any, name: str | None = None) -> Any:
    """The mean of all elements, with shape [1]."""
    return mean_op(x, name=name)


def logsumexp(x: Any, dim: Any = None, keepdim: bool = False, out: Any = None, name: str | None = None) -> Any:
    """log(sum(exp(x))) along axes, without overflow.

    Args:
        out: the variable that takes the result, if it is not to be a new one.
    """
    chosen = {"dim": [0], "reduce_all": True} if dim is None else axes("logsumexp", dim)
    outs = None if out is None else {"Out": out}
    return ops.logsumexp(x, name=LayerName("logsumexp", name), outs=outs, keep_dim=keepdim, **chosen)
