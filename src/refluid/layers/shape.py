"""Shapes and axes: reshape, transpose, concat, split, stack, expand and their relatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName, exactly
from refluid.core.types import Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import axis_of, integer, ints, is_variable, need_variable, positive
from refluid.layers.common import ShapeLike, activate, as_list, over
from refluid.layers.mixed import mixed, stopped
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
    x: BaseVariable,
    shape: ShapeLike,
    actual_shape: BaseVariable | None = None,
    act: str | None = None,
    inplace: bool = False,
    name: str | None = None,
) -> BaseVariable:
    """x in another shape, with the same elements in row-major order.

    Args:
        x: a variable of any dtype and shape.
        shape: a list of ints and one-element int32 variables, or an int32 variable. One size may be -1 and is
            inferred; 0 keeps the size of that axis of x.
        actual_shape: an int32 variable that replaces `shape` at run time.
        act: the name of an activation, "relu" for example.
        inplace: x itself takes the new shape; no effect in the imperative mode.

    Returns:
        A variable of this shape with the dtype and LoD of x.

    Example:
        >>> x = fluid.data("x", [None, 4, 6])
        >>> fluid.layers.reshape(x, [0, -1]).shape
        (-1, 24)
    """
    layer = LayerName("reshape2", name)
    tensor: BaseVariable | None
    if is_variable(shape):
        tensor, variables, attrs = stopped(shape), None, {}
    else:
        numbers, variables = mixed("reshape: shape", shape, layer)
        if not numbers:
            raise ArgumentError("reshape: shape must not be empty")
        tensor, attrs = None if actual_shape is None else stopped(actual_shape), {"shape": numbers}
    out, _ = reshape2(x, tensor, variables, name=layer, outs=over(x, inplace), **attrs)
    return out if act is None else activate(out, act, layer)


def squeeze(input: BaseVariable, axes: Ints, name: str | None = None) -> BaseVariable:
    """x without axes of size 1.

    Args:
        input: a variable of any dtype and shape.
        axes: the axes to remove, an int or a list; an empty list removes all of size 1.

    Returns:
        A variable with fewer axes.

    Example:
        >>> x = fluid.data("x", [None, 1, 5, 1])
        >>> fluid.layers.squeeze(x, [1]).shape
        (-1, 5, 1)
    """
    removed = ints("squeeze: axes", as_list(axes))
    return squeeze2(input, name=LayerName("squeeze", name), axes=removed)[0]


def unsqueeze(input: BaseVariable, axes: int | ShapeLike, name: str | None = None) -> BaseVariable:
    """x with new axes of size 1.

    Args:
        input: a variable of any dtype and shape.
        axes: their positions in the result: an int, a list of ints and one-element variables, or an int32 variable.

    Returns:
        A variable with more axes.

    Example:
        >>> x = fluid.data("x", [None, 5])
        >>> fluid.layers.unsqueeze(x, [1]).shape
        (-1, 1, 5)
    """
    layer = LayerName("unsqueeze2", name)
    if is_variable(axes):
        return unsqueeze2(input, stopped(axes), name=layer)[0]
    numbers, variables = mixed("unsqueeze: axes", as_list(axes), layer)
    if variables is not None:
        return unsqueeze2(input, None, variables, name=layer)[0]
    return unsqueeze2(input, name=layer, axes=numbers)[0]


def flatten(x: BaseVariable, axis: int = 1, name: str | None = None) -> BaseVariable:
    """x as a matrix: the axes before `axis` are its rows, the others its columns.

    Args:
        x: a variable of any dtype and shape.
        axis: from 0 to the number of axes.

    Returns:
        A variable [product of the sizes before axis, product of the others].

    Example:
        >>> x = fluid.data("x", [None, 3, 4])
        >>> fluid.layers.flatten(x, axis=1).shape
        (-1, 12)
    """
    need_variable("flatten: x", x)
    axis = integer("flatten: axis", axis)
    if not 0 <= axis <= len(x.shape):
        raise ShapeError(f"flatten: axis must be in [0, {len(x.shape)}], got {axis!r}")
    return flatten2(x, name=LayerName("flatten", name), axis=axis)[0]


def transpose(x: BaseVariable, perm: Sequence[int], name: str | None = None) -> BaseVariable:
    """x with its axes permuted.

    Args:
        x: a variable of any dtype and shape.
        perm: axis i of the result is axis perm[i] of x.

    Returns:
        A variable of the permuted shape.

    Example:
        >>> x = fluid.data("x", [None, 3, 4])
        >>> fluid.layers.transpose(x, [0, 2, 1]).shape
        (-1, 4, 3)
    """
    return transpose2(x, name=LayerName("transpose", name), axis=ints("transpose: perm", perm))[0]


def t(input: BaseVariable, name: str | None = None) -> BaseVariable:
    """The transpose of a matrix; a vector as it is.

    Args:
        input: a variable of any dtype with at most two axes.

    Returns:
        A variable [M, N] for input [N, M].
    """
    need_variable("t: input", input)
    if len(input.shape) > 2:
        raise ShapeError(f"t: input must have at most 2 axes, got {input.name} {list(input.shape)}")
    if len(input.shape) <= 1:
        return input
    return transpose2(input, name=LayerName("t", name), axis=[1, 0])[0]


def concat(
    input: BaseVariable | Sequence[BaseVariable], axis: int | BaseVariable = 0, name: str | None = None
) -> BaseVariable:
    """Several variables joined along an axis.

    Args:
        input: a list of variables of one dtype with the same sizes along the other axes.
        axis: an int, or an int32 variable [1].

    Returns:
        A variable whose size along the axis is the sum of theirs; it has the LoD of the first.

    Example:
        >>> x, y = fluid.data("x", [None, 3]), fluid.data("y", [None, 5])
        >>> fluid.layers.concat([x, y], axis=1).shape
        (-1, 8)
    """
    if is_variable(axis):
        return concats.concat(as_list(input), stopped(axis), name=name)
    return concats.concat(as_list(input), name=name, axis=axis)


def split(
    input: BaseVariable,
    num_or_sections: int | Sequence[int | BaseVariable],
    dim: int | BaseVariable = -1,
    name: str | None = None,
) -> list[BaseVariable]:
    """The sections of a variable along an axis.

    Args:
        input: a variable of any dtype and shape.
        num_or_sections: the number of equal sections, or a list of their sizes; one size may be -1 and is inferred,
            any may be a one-element int32 variable.
        dim: the axis, an int or an int32 variable [1].

    Returns:
        A list of variables.

    Example:
        >>> x = fluid.data("x", [None, 8])
        >>> [part.shape for part in fluid.layers.split(x, [2, -1], dim=1)]
        [(-1, 2), (-1, 6)]
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


def stack(x: BaseVariable | Sequence[BaseVariable], axis: int = 0) -> BaseVariable:
    """Several variables joined along a new axis.

    Args:
        x: a variable, or a list of variables of one shape and dtype.
        axis: the position of the new axis in the result; negative counts from its end.

    Returns:
        A variable with one more axis, whose size is the number of variables.

    Example:
        >>> x, y = fluid.data("x", [None, 3]), fluid.data("y", [None, 3])
        >>> fluid.layers.stack([x, y], axis=1).shape
        (-1, 2, 3)
    """
    return stack_op(as_list(x), axis=axis)


def unstack(x: BaseVariable, axis: int = 0, num: int | None = None) -> list[BaseVariable]:
    """The slices of a variable along an axis; the axis is removed.

    Args:
        x: a variable of any dtype and shape.
        axis: the axis; negative counts from the end.
        num: the size of the axis; needed where it is not known.

    Returns:
        A list of variables with one axis fewer.

    Example:
        >>> x = fluid.data("x", [None, 3, 4])
        >>> [slice.shape for slice in fluid.layers.unstack(x, axis=1)]
        [(-1, 4), (-1, 4), (-1, 4)]
    """
    need_variable("unstack: x", x)
    axis = axis_of("unstack: axis", axis, len(x.shape))
    if num is None:
        num = x.shape[axis]
        if num < 0:
            raise ArgumentError(f"unstack: the size of axis {axis} of {x.name} is not known; say num=")
    return unstack_op(x, axis=axis, num=num)


def expand(x: BaseVariable, expand_times: ShapeLike, name: str | None = None) -> BaseVariable:
    """x repeated along every axis.

    Args:
        x: a variable of any dtype and shape.
        expand_times: the number of repetitions for every axis: a list of ints and one-element int32 variables, or an
            int32 variable.

    Returns:
        A variable of shape [size * times for every axis].

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([[1, 2]]))
        ...     fluid.layers.expand(x, [2, 2]).numpy().tolist()
        [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    layer = LayerName("expand", name)
    if is_variable(expand_times):
        return expands.expand(x, stopped(expand_times), name=layer)
    numbers, variables = mixed("expand: expand_times", expand_times, layer)
    return expands.expand(x, None, variables, name=layer, expand_times=numbers)


def expand_as(x: BaseVariable, target_tensor: BaseVariable, name: str | None = None) -> BaseVariable:
    """x repeated along every axis to the shape of another variable.

    Args:
        x: a variable of any dtype and shape.
        target_tensor: a variable of any dtype with as many axes, whose sizes are multiples of those of x.

    Returns:
        A variable of the shape of target_tensor and the dtype of x.
    """
    return expands.expand_as(x, target_tensor, name=name)


def reverse(x: BaseVariable, axis: Ints) -> BaseVariable:
    """x in the opposite order along axes.

    Args:
        x: a variable of any dtype and shape.
        axis: an int or a list of ints.

    Returns:
        A variable of the shape and dtype of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.reverse(fluid.dygraph.to_variable(np.array([[1, 2], [3, 4]])), axis=0).numpy().tolist()
        [[3, 4], [1, 2]]
    """
    return reverses.reverse(x, axis=ints("reverse: axis", as_list(axis)))


def flip(input: BaseVariable, dims: Sequence[int], name: str | None = None) -> BaseVariable:
    """x in the opposite order along axes.

    Args:
        input: a variable of any dtype and shape.
        dims: a list of axes.

    Returns:
        A variable of the shape and dtype of input.
    """
    return reverses.flip(input, name=exactly(name), dims=ints("flip: dims", dims))


def roll(input: BaseVariable, shifts: Ints, dims: Ints | None = None) -> BaseVariable:
    """x shifted along axes; elements beyond the end come back at the beginning.

    Args:
        input: a variable of any dtype and shape.
        shifts: the offset for every axis of `dims`, an int or a list.
        dims: the axes, an int or a list; None rolls the flattened input.

    Returns:
        A variable of the shape and dtype of input.
    """
    by = ints("roll: shifts", as_list(shifts))
    if dims is not None:
        return reverses.roll(input, shifts=by, dims=ints("roll: dims", as_list(dims)))
    return reshape(reverses.roll(reshape(input, [-1, 1]), shifts=by, dims=[0]), list(input.shape))


def meshgrid(input: BaseVariable | Sequence[BaseVariable], name: str | None = None) -> list[BaseVariable]:
    """The coordinates of a grid: vector i, repeated along all axes but the i-th.

    Args:
        input: a list of k vectors of one dtype, of sizes n_1 to n_k.

    Returns:
        A list of k variables [n_1, ..., n_k].
    """
    return meshgrid_op(as_list(input), name=name)


def shape(input: BaseVariable) -> BaseVariable:
    """The shape of a variable at run time.

    Args:
        input: a variable of any dtype and shape.

    Returns:
        An int32 variable [number of axes].

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.shape(fluid.dygraph.to_variable(np.zeros([2, 3], "float32"))).numpy().tolist()
        [2, 3]
    """
    return shapes.shape(input)


def rank(input: BaseVariable | np.ndarray) -> BaseVariable:
    """The number of axes.

    Args:
        input: a variable, or a numpy array.

    Returns:
        An int32 variable of one element.
    """
    if not isinstance(input, np.ndarray):
        need_variable("rank: input", input)
    return assign(np.array(len(input.shape), "int32"))


def size(input: BaseVariable) -> BaseVariable:
    """The number of elements at run time.

    Args:
        input: a variable of any dtype and shape.

    Returns:
        An int64 variable [1].
    """
    return shapes.size(input)
