"""Reductions along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.core.naming import LayerName
from refluid.core.types import Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import ints
from refluid.ops.math import reduce as ops
from refluid.ops.math.mean import mean as mean_op
from refluid.ops.registry import OpDef


def reduction(op: OpDef, what: str, result: str = "", kind: str = "a float, int32 or int64") -> Callable:
    """The layer function of a reducing operator.

    Args:
        op: the operator.
        what: what it computes, the first line of the function's docstring.
        result: what the example of the docstring prints; no example without it.
        kind: the dtype of its input.

    Returns:
        A function of (input, dim, keep_dim, name).
    """

    def layer(
        input: BaseVariable, dim: Ints | None = None, keep_dim: bool = False, name: str | None = None
    ) -> BaseVariable:
        if dim is None:
            return op(input, name=name, dim=[0], keep_dim=keep_dim, reduce_all=True)
        return op(input, name=name, keep_dim=keep_dim, **axes(op.type, dim))

    layer.__name__ = layer.__qualname__ = op.type
    text = DOCSTRING.format(what=what, kind=kind)
    layer.__doc__ = text + (EXAMPLE.format(function=op.type, result=result) if result else "")
    return layer


DOCSTRING = """{what}

Args:
    input: {kind} variable of any shape.
    dim: the axis or the axes to reduce; negative ones count from the last; None reduces all.
    keep_dim: the reduced axes stay, with size 1.

Returns:
    A variable of the dtype of input without the reduced axes; of shape [1] if all are reduced.
"""
EXAMPLE = """
Example:
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([[1.0, 2.0], [3.0, 4.0]], "float32"))
    ...     fluid.layers.{function}(x, dim=1).numpy().tolist()
    {result}
"""


def axes(what: str, dim: Ints) -> dict[str, Any]:
    """The attributes of a reducing operator: `dim` and `reduce_all`."""
    reduced = ints(f"{what}: dim", dim if isinstance(dim, list | tuple) else [dim])
    return {"dim": reduced or [0], "reduce_all": not reduced}


reduce_sum = reduction(ops.reduce_sum, "The sum along axes.", "[3.0, 7.0]")
reduce_mean = reduction(ops.reduce_mean, "The mean along axes.", "[1.5, 3.5]")
reduce_max = reduction(ops.reduce_max, "The maximum along axes.", "[2.0, 4.0]")
reduce_min = reduction(ops.reduce_min, "The minimum along axes.", "[1.0, 3.0]")
reduce_prod = reduction(ops.reduce_prod, "The product along axes.", "[2.0, 12.0]")
reduce_all = reduction(ops.reduce_all, "The logical and along axes.", kind="a bool")
reduce_any = reduction(ops.reduce_any, "The logical or along axes.", kind="a bool")


def mean(x: BaseVariable, name: str | None = None) -> BaseVariable:
    """The mean of all elements.

    Args:
        x: a float variable of any shape.

    Returns:
        A variable of shape [1] and the dtype of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.mean(fluid.dygraph.to_variable(np.array([1.0, 2.0, 6.0], "float32"))).numpy()
        array([3.], dtype=float32)
    """
    return mean_op(x, name=name)


def logsumexp(
    x: BaseVariable,
    dim: Ints | None = None,
    keepdim: bool = False,
    out: BaseVariable | None = None,
    name: str | None = None,
) -> BaseVariable:
    """log(sum(exp(x))) along axes, computed without overflow.

    Args:
        x: a float variable of any shape.
        dim: the axis or the axes to reduce; None reduces all.
        keepdim: the reduced axes stay, with size 1.
        out: the variable that takes the result; None for a new one.

    Returns:
        A variable of the dtype of x without the reduced axes; of shape [1] if all are reduced.
    """
    chosen = {"dim": [0], "reduce_all": True} if dim is None else axes("logsumexp", dim)
    outs = None if out is None else {"Out": out}
    return ops.logsumexp(x, name=LayerName("logsumexp", name), outs=outs, keep_dim=keepdim, **chosen)
