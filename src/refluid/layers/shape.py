"""Shapes and axes: other views of the same elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName, exactly
from refluid.layers.common import activate, as_list, over
from refluid.layers.numbers import axis_of, ints, is_variable, mixed, need_variable, positive, stopped, whole
from refluid.layers.tensor import assign
from refluid.ops.shape import (
    concat as concats,
    expand as expands,
    reverse as reverses,
    shape as shapes,
    split as splits,
)
from refluid.ops.shape.flatten import flatten2
from refluid.ops.shape.meshgrid import meshgrid as meshgrid_op
from refluid.ops.shape.reshape import reshape2
from refluid.ops.shape.squeeze import squeeze2
from refluid.ops.shape.stack import stack as stack_op, unstack as unstack_op
from refluid.ops.shape.transpose import transpose2
from refluid.ops.shape.unsqueeze import unsqueeze2


def reshape(
    x: Any, shape: Any, actual_shape: Any = None, act: Any = None, inplace: bool = False, name: str | None = None
) -> Any:
    """The same elements in another shape.

    Args:
        shape: a list of ints and one-element variables, or an int32 variable. One size may be -1: what is left over;
            0 keeps the size of that axis of x.
        actual_shape: an int32 variable that says the shape at run time, in place of `shape`.
        act: the name of an activation.
        inplace: x itself takes the new shape; no effect in the imperative mode.
    """
    layer = LayerName("reshape2", name)
    if is_variable(shape):
        tensor, variables, attrs = stopped(shape), None, {}
    else:
        numbers, variables = mixed("reshape: shape", shape, layer)
        if not numbers:
            raise ArgumentError("reshape: shape must not be empty")
        tensor, attrs = None if actual_shape is None else stopped(actual_shape), {"shape": numbers}
    out, _ = reshape2(x, tensor, variables, name=layer, outs=over(x, inplace), **attrs)
    return out if act is None else activate(out, act, layer)


def squeeze(input: Any, axes: Any, name: str | None = None) -> Any:
    """Without axes of size 1.

    Args:
        axes: which; an empty list: all.
    """
    found = ints("squeeze: axes", as_list(axes))
    return squeeze2(input, name=LayerName("squeeze", name), axes=found)[0]


def unsqueeze(input: Any, axes: Any, name: str | None = None) -> Any:
    """With new axes of size 1.

    Args:
        axes: where they are in the result: an int, a list of ints and one-element variables, or a variable.
    """
    layer = LayerName("unsqueeze2", name)
    if is_variable(axes):
        return unsqueeze2(input, stopped(axes), name=layer)[0]
    numbers, variables = mixed("unsqueeze: axes", as_list(axes), layer)
    if variables is not None:
        return unsqueeze2(input, None, variables, name=layer)[0]
    return unsqueeze2(input, name=layer, axes=numbers)[0]


def flatten(x: Any, axis: int = 1, name: str | None = None) -> Any:
    """A matrix: the axes before `axis` are its rows, the others its columns."""
    need_variable("flatten: x", x)
    axis = whole("flatten: axis", axis)
    if not 0 <= axis <= len(x.shape):
        raise ShapeError(f"flatten: axis must be in [0, {len(x.shape)}], got {axis!r}")
    return flatten2(x, name=LayerName("flatten", name), axis=axis)[0]


def transpose(x: Any, perm: Any, name: str | None = None) -> Any:
    """The axes in another order.

    Args:
        perm: for every axis of the result, the axis of x that it is.
    """
    return transpose2(x, name=LayerName("transpose", name), axis=ints("transpose: perm", perm))[0]


def t(input: Any, name: str | None = None) -> Any:
    """A matrix with rows and columns swapped; a vector as it is."""
    need_variable("t: input", input)
    if len(input.shape) > 2:
        raise ShapeError(f"t: input must have at most 2 axes, got {input.name} {list(input.shape)}")
    if len(input.shape) <= 1:
        return input
    return transpose2(input, name=LayerName("t", name), axis=[1, 0])[0]


def concat(input: Any, axis: Any = 0, name: str | None = None) -> Any:
    """Several variables one after the other along an axis.

    Args:
        input: a list of variables that have the same sizes along the other axes.
        axis: an int or an int32 variable [1].
    """
    if is_variable(axis):
        return concats.concat(as_list(input), stopped(axis), name=name)
    return concats.concat(as_list(input), name=name, axis=axis)


def split(input: Any, num_or_sections: Any, dim: Any = -1, name: str | None = None) -> list[Any]:
    """The parts of a variable along an axis.

    Args:
        num_or_sections: how many equal parts, or a list with the size of each; one of them may be -1, any may be a
            one-element variable.
        dim: the axis, an int or an int32 variable [1].
    """
    need_variable("split: input", input)
    layer = LayerName("split", name)
    attrs: dict[str, Any] = {}
    axis = None
    if is_variable(dim):
        axis = stopped(dim)
    else:
        rank = len(input.shape)
        attrs["axis"] = axis_of("split: dim", dim, rank) % rank
    variables = None
    if isinstance(num_or_sections, list | tuple):
        attrs["sections"], variables = mixed("split: num_or_sections", num_or_sections, layer)
    else:
        attrs["num"] = positive("split: num_or_sections, if not a list,", num_or_sections)
    return splits.split(input, axis, variables, name=layer, **attrs)


def stack(x: Any, axis: int = 0) -> Any:
    """Several variables of one shape side by side along a new axis."""
    return stack_op(as_list(x), axis=axis)


def unstack(x: Any, axis: int = 0, num: int | None = None) -> list[Any]:
    """The slices of a variable along an axis, which goes.

    Args:
        num: how many there are; asked for where the size of the axis is not known.
    """
    need_variable("unstack: x", x)
    axis = axis_of("unstack: axis", axis, len(x.shape))
    if num is None:
        num = x.shape[axis]
        if num < 0:
            raise ArgumentError(f"unstack: the size of axis {axis} of {x.name} is not known; say num=")
    return unstack_op(x, axis=axis, num=num)


def expand(x: Any, expand_times: Any, name: str | None = None) -> Any:
    """Every axis repeated.

    Args:
        expand_times: how often, for every axis: a list of ints and one-element variables, or an int32 variable.
    """
    layer = LayerName("expand", name)
    if is_variable(expand_times):
        return expands.expand(x, stopped(expand_times), name=layer)
    numbers, variables = mixed("expand: expand_times", expand_times, layer)
    return expands.expand(x, None, variables, name=layer, expand_times=numbers)


def expand_as(x: Any, target_tensor: Any, name: str | None = None) -> Any:
    """Every axis repeated until x has the shape of target_tensor."""
    return expands.expand_as(x, target_tensor, name=name)


def reverse(x: Any, axis: Any) -> Any:
    """The elements in the opposite order along an axis or a list of them."""
    return reverses.reverse(x, axis=ints("reverse: axis", as_list(axis)))


def flip(input: Any, dims: Any, name: str | None = None) -> Any:
    """The elements in the opposite order along axes."""
    return reverses.flip(input, name=exactly(name), dims=ints("flip: dims", dims))


def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """The elements moved along axes; what leaves at the end comes back at the beginning.

    Args:
        shifts: by how many places, for every axis of `dims`.
        dims: the axes; None: input is one long vector.
    """
    by = ints("roll: shifts", as_list(shifts))
    if dims is not None:
        return reverses.roll(input, shifts=by, dims=ints("roll: dims", as_list(dims)))
    return reshape(reverses.roll(reshape(input, [-1, 1]), shifts=by, dims=[0]), list(input.shape))


def meshgrid(input: Any, name: str | None = None) -> list[Any]:
    """The coordinates of a grid: the i-th vector repeated along all axes but the i-th."""
    return meshgrid_op(as_list(input), name=name)


def shape(input: Any) -> Any:
    """The shape of a variable as an int32 vector."""
    return shapes.shape(input)


def rank(input: Any) -> Any:
    """The number of axes as an int32 variable."""
    if not isinstance(input, np.ndarray):
        need_variable("rank: input", input)
    return assign(np.array(len(input.shape), "int32"))


def size(input: Any) -> Any:
    """The number of elements, int64 with shape [1]."""
    return shapes.size(input)
