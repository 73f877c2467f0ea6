"""Shapes and axes: other views of the same elements."""

from __future__ import annotations

from typing import Any

from refluid.alpha.common import into
from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers import shape as layers
from refluid.layers.common import as_list
from refluid.layers.numbers import axis_of, ints, is_variable, mixed, need_variable, stopped
from refluid.ops.shape.squeeze import squeeze2
from refluid.ops.shape.stack import stack as stack_op, unbind as unbind_op
from refluid.ops.shape.unsqueeze import unsqueeze2


def reshape(x: Any, shape: Any, inplace: bool = False, name: str | None = None) -> Any:
    """The same elements in another shape.

    Args:
        shape: a list of ints and one-element variables, or an int32 variable. One size may be -1: what is left over;
            0 keeps the size of that axis of x.
        inplace: x itself takes the new shape; no effect in the imperative mode.
    """
    return layers.reshape(x, shape, inplace=inplace, name=name)


def squeeze(input: Any, axes: Any, out: Any = None, name: str | None = None) -> Any:
    """Without axes of size 1.

    Args:
        axes: which, an int or a list of ints; an empty list: all.
        out: the variable that takes the result, if it is not to be a new one.
    """
    found = ints("squeeze: axes", as_list(axes))
    return squeeze2(input, name=LayerName("squeeze", name), outs=into(out), axes=found)[0]


def unsqueeze(input: Any, axes: Any, out: Any = None, name: str | None = None) -> Any:
    """With new axes of size 1.

    Args:
        axes: where they are in the result: an int, a list of ints and one-element variables, or a variable.
        out: the variable that takes the result, if it is not to be a new one.
    """
    layer = LayerName("unsqueeze", name)
    if is_variable(axes):
        return unsqueeze2(input, stopped(axes), name=layer, outs=into(out))[0]
    numbers, variables = mixed("unsqueeze: axes", as_list(axes), layer)
    if variables is not None:
        return unsqueeze2(input, None, variables, name=layer, outs=into(out))[0]
    return unsqueeze2(input, name=layer, outs=into(out), axes=numbers)[0]


def stack(x: Any, axis: int = 0, out: Any = None, name: str | None = None) -> Any:
    """Several variables of one shape side by side along a new axis.

    Args:
        out: the variable that takes the result, if it is not to be a new one.
    """
    return stack_op(as_list(x), name=name, outs=into(out, "Y"), axis=axis)


def unbind(input: Any, axis: int = 0) -> list[Any]:
    """The slices of a variable along an axis, whose size must be known and which goes."""
    need_variable("unbind: input", input)
    axis = axis_of("unbind: axis", axis, len(input.shape))
    if input.shape[axis] < 0:
        raise ArgumentError(f"unbind: the size of axis {axis} of {input.name} is not known")
    return unbind_op(input, axis=axis)


def flip(input: Any = None, dims: Any = None, name: str | None = None, im: Any = None) -> Any:
    """The elements in the opposite order along axes.

    Args:
        dims: an axis or a list of them; None: the last one, which mirrors a picture.
        im: another name for input.
    """
    given = im if input is None else input
    if not is_variable(given):
        raise ArgumentError(f"flip: input must be a Variable, got {type(given).__name__}")
    return layers.flip(given, [-1] if dims is None else as_list(dims), name)
