"""Shapes and axes: other views of the same elements."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.alpha.common import into
from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.core.types import Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers import shape as layers
from refluid.layers.checks import axis_of, ints, is_variable, need_variable
from refluid.layers.common import ShapeLike, as_list
from refluid.layers.mixed import mixed, stopped
from refluid.ops.shape.squeeze import squeeze2
from refluid.ops.shape.stack import stack as stack_op, unbind as unbind_op
from refluid.ops.shape.unsqueeze import unsqueeze2


def reshape(x: BaseVariable, shape: ShapeLike, inplace: bool = False, name: str | None = None) -> BaseVariable:
    """The same elements in another shape.

    Args:
        x: a variable of any dtype and shape.
        shape: a list of ints and one-element variables, or an int32 variable. One size may be -1, which is inferred; 0
            keeps the size of that axis of x.
        inplace: x itself takes the new shape; no effect in the imperative mode.

    Returns:
        A variable of the new shape.
    """
    return layers.reshape(x, shape, inplace=inplace, name=name)


def squeeze(input: BaseVariable, axes: Ints, out: BaseVariable | None = None, name: str | None = None) -> BaseVariable:
    """Remove axes of size 1.

    Args:
        input: a variable of any dtype and shape.
        axes: an axis or a list of axes; an empty list for all axes of size 1.
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable without these axes.
    """
    positions = ints("squeeze: axes", as_list(axes))
    return squeeze2(input, name=LayerName("squeeze", name), outs=into(out), axes=positions)[0]


def unsqueeze(
    input: BaseVariable, axes: int | ShapeLike, out: BaseVariable | None = None, name: str | None = None
) -> BaseVariable:
    """Insert axes of size 1.

    Args:
        input: a variable of any dtype and shape.
        axes: the positions in the result: an int, a list of ints and one-element variables, or a variable.
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable with the new axes.
    """
    layer = LayerName("unsqueeze", name)
    if is_variable(axes):
        return unsqueeze2(input, stopped(axes), name=layer, outs=into(out))[0]
    numbers, variables = mixed("unsqueeze: axes", as_list(axes), layer)
    if variables is not None:
        return unsqueeze2(input, None, variables, name=layer, outs=into(out))[0]
    return unsqueeze2(input, name=layer, outs=into(out), axes=numbers)[0]


def stack(
    x: BaseVariable | Sequence[BaseVariable], axis: int = 0, out: BaseVariable | None = None, name: str | None = None
) -> BaseVariable:
    """Stack variables of one shape along a new axis.

    Args:
        x: a list of variables of one shape and dtype.
        axis: the position of the new axis in the result.
        out: the variable that takes the result; a new one if None.

    Returns:
        A variable with one axis more, of size len(x).
    """
    return stack_op(as_list(x), name=name, outs=into(out, "Y"), axis=axis)


def unbind(input: BaseVariable, axis: int = 0) -> list[BaseVariable]:
    """The slices of a variable along an axis, without that axis.

    Args:
        input: a variable of any dtype and shape; the size of the axis must be known.
        axis: the axis.

    Returns:
        A list of variables, one per slice.
    """
    need_variable("unbind: input", input)
    axis = axis_of("unbind: axis", axis, len(input.shape))
    if input.shape[axis] < 0:
        raise ArgumentError(f"unbind: the size of axis {axis} of {input.name} is not known")
    return unbind_op(input, axis=axis)


def flip(
    input: BaseVariable | None = None,
    dims: Ints | None = None,
    name: str | None = None,
    im: BaseVariable | None = None,
) -> BaseVariable:
    """Reverse the order of the elements along axes.

    Args:
        input: a variable of any dtype and shape.
        dims: an axis or a list of axes; the last one if None.
        im: another name for input.

    Returns:
        A variable with the shape of input.
    """
    image = im if input is None else input
    if not is_variable(image):
        raise ArgumentError(f"flip: input must be a Variable, got {type(image).__name__}")
    return layers.flip(image, [-1] if dims is None else as_list(dims), name)
