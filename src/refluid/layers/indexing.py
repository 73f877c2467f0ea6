"""Elements by position: slice, gather, scatter, where and their relatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import ints, is_variable
from refluid.layers.common import ShapeLike, as_list
from refluid.layers.creation import zeros
from refluid.layers.mixed import mixed, stopped
from refluid.ops.shape import gather as gathers, gather_nd as gather_nds, where as wheres
from refluid.ops.shape.multiplex import multiplex as multiplex_op
from refluid.ops.shape.scatter import scatter as scatter_op
from refluid.ops.shape.slice import slice as slice_op
from refluid.ops.shape.strided_slice import strided_slice as strided_slice_op


def slice(input: BaseVariable, axes: Sequence[int], starts: ShapeLike, ends: ShapeLike) -> BaseVariable:
    """input[starts[i]:ends[i]] along every axis axes[i].

    Args:
        input: a variable of any dtype and shape.
        axes: the axes that are sliced.
        starts: for each of them the first index: a list of ints and one-element int32 variables, or an int32 variable;
            negative ones count from the end.
        ends: for each of them the excluded end, likewise; an end beyond the size means the size.

    Returns:
        A variable of the dtype of input.

    Example:
        >>> x = fluid.data("x", [None, 10, 6])
        >>> fluid.layers.slice(x, axes=[1, 2], starts=[0, -4], ends=[5, 100]).shape
        (-1, 5, 4)
    """
    layer = LayerName("slice")
    sliced = ints("slice: axes", axes)
    whole, lists, attrs, known = _positions("slice", layer, len(sliced), starts=starts, ends=ends)
    # Fluid: when starts or ends come as variables as a whole, nothing is known of any axis.
    flags = [1 if known[i] and not any(variable is not None for variable in whole) else -1 for i in range(len(sliced))]
    return slice_op(input, *whole, *lists, name=layer, axes=sliced, infer_flags=flags, **attrs)


def strided_slice(
    input: BaseVariable, axes: Sequence[int], starts: ShapeLike, ends: ShapeLike, strides: ShapeLike
) -> BaseVariable:
    """input[starts[i]:ends[i]:strides[i]] along every axis axes[i].

    Args:
        input: a variable of any dtype and shape.
        axes: the axes that are sliced.
        starts: for each of them the first index: a list of ints and one-element int32 variables, or an int32 variable.
        ends: for each of them the excluded end, likewise.
        strides: for each of them the step, likewise; a negative one goes backwards.

    Returns:
        A variable of the dtype of input.
    """
    layer = LayerName("strided_slice")
    sliced = ints("strided_slice: axes", axes)
    whole, lists, attrs, known = _positions(
        "strided_slice", layer, len(sliced), starts=starts, ends=ends, strides=strides
    )
    flags = [1 if is_known else -1 for is_known in known]
    return strided_slice_op(input, *whole, *lists, name=layer, axes=sliced, infer_flags=flags, **attrs)


def _positions(
    kind: str, layer: LayerName, count: int, **positions: Any
) -> tuple[list, list, dict[str, Any], list[bool]]:
    """Split positions into (whole variables, lists of variables, attributes, which axes are known), in their order."""
    whole: list[Any] = []
    lists: list[Any] = []
    attrs: dict[str, Any] = {}
    known = [True] * count
    for name, value in positions.items():
        variables = None
        if is_variable(value):
            stopped(value)
        else:
            attrs[name], variables = mixed(f"{kind}: {name}", value, layer)
            if len(attrs[name]) != count:
                raise ArgumentError(f"{kind}: {count} axes, but {len(attrs[name])} {name}")
            if variables is not None:
                known = [is_known and not is_variable(item) for is_known, item in zip(known, value, strict=True)]
        whole.append(value if is_variable(value) else None)
        lists.append(variables)
    return whole, lists, attrs, known


def gather(input: BaseVariable, index: BaseVariable, overwrite: bool = True) -> BaseVariable:
    """Rows of input by index.

    Args:
        input: a variable of any dtype with at least one axis.
        index: int32 or int64 row numbers [N] or [N, 1].
        overwrite: the gradient of a row with several indices: True takes one of them, False their sum.

    Returns:
        A variable [N, *input.shape[1:]].

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([[1, 1], [2, 2], [3, 3]]))
        ...     fluid.layers.gather(x, fluid.dygraph.to_variable(np.array([2, 0]))).numpy().tolist()
        [[3, 3], [1, 1]]
    """
    return gathers.gather(input, index, overwrite=overwrite)


def gather_nd(input: BaseVariable, index: BaseVariable, name: str | None = None) -> BaseVariable:
    """Elements or slices of input by coordinates.

    Args:
        input: a variable of any dtype and shape.
        index: int32 or int64 [..., K]: each row holds coordinates along the first K axes of input.

    Returns:
        A variable [*index.shape[:-1], *input.shape[K:]].

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([[1, 2], [3, 4]]))
        ...     fluid.layers.gather_nd(x, fluid.dygraph.to_variable(np.array([[1, 0], [0, 1]]))).numpy().tolist()
        [3, 2]
    """
    return gather_nds.gather_nd(input, index, name=name)


def index_select(input: BaseVariable, index: BaseVariable, dim: int = 0) -> BaseVariable:
    """Slices along an axis by index.

    Args:
        input: a variable of any dtype and shape.
        index: int32 or int64 [N].
        dim: the axis.

    Returns:
        A variable of the shape of input with size N along the axis.
    """
    return gathers.index_select(input, index, dim=dim)


def index_sample(x: BaseVariable, index: BaseVariable) -> BaseVariable:
    """From every row of x, elements by index: Out[i, j] = x[i, index[i, j]].

    Args:
        x: a variable [N, M] of any dtype.
        index: int32 or int64 [N, K].

    Returns:
        A variable [N, K].
    """
    return gathers.index_sample(x, index)


def scatter(
    input: BaseVariable, index: BaseVariable, updates: BaseVariable, name: str | None = None, overwrite: bool = True
) -> BaseVariable:
    """A copy of input with some rows replaced by those of updates.

    Args:
        input: a variable of any dtype with at least one axis.
        index: int32 or int64 row numbers [N].
        updates: a variable [N, *input.shape[1:]] of the dtype of input.
        overwrite: False sets the rows to zero first and adds the updates of duplicate indices up.

    Returns:
        A variable of the shape and dtype of input.
    """
    return scatter_op(input, index, updates, name=name, overwrite=overwrite)


def scatter_nd_add(
    ref: BaseVariable, index: BaseVariable, updates: BaseVariable, name: str | None = None
) -> BaseVariable:
    """A copy of ref with updates added at coordinates; duplicate coordinates add up.

    Args:
        ref: a variable of any dtype and shape.
        index: int32 or int64 [..., K]: each row holds coordinates along the first K axes of ref.
        updates: a variable [*index.shape[:-1], *ref.shape[K:]] of the dtype of ref.

    Returns:
        A variable of the shape and dtype of ref.
    """
    return gather_nds.scatter_nd_add(ref, index, updates, name=name)


def scatter_nd(
    index: BaseVariable, updates: BaseVariable, shape: Sequence[int], name: str | None = None
) -> BaseVariable:
    """Zeros with updates added at coordinates; duplicate coordinates add up.

    Args:
        index: int32 or int64 [..., K]: each row holds coordinates along the first K axes of the result.
        updates: a variable of any dtype [*index.shape[:-1], *shape[K:]].
        shape: the shape of the result.

    Returns:
        A variable of this shape and the dtype of updates.
    """
    return scatter_nd_add(zeros(shape, updates.dtype), index, updates, name)


def multiplex(inputs: Sequence[BaseVariable], index: BaseVariable) -> BaseVariable:
    """Row i of the variable inputs[index[i]], for every i.

    Args:
        inputs: at least two variables of one shape [N, ...] and dtype.
        index: int32 [N, 1].

    Returns:
        A variable [N, ...].
    """
    candidates = as_list(inputs)
    if len(candidates) < 2:
        raise ArgumentError(f"multiplex: inputs must be two variables or more, got {len(candidates)}")
    return multiplex_op(index, candidates)


def where(condition: BaseVariable) -> BaseVariable:
    """The coordinates of the true elements.

    Args:
        condition: a bool variable of k axes.

    Returns:
        An int64 variable [number of true elements, k].
    """
    return wheres.where_index(condition)


def nonzero(input: BaseVariable, as_tuple: bool = False) -> BaseVariable | tuple[BaseVariable, ...]:
    """The coordinates of the elements that are not zero.

    Args:
        input: a variable of any dtype with k axes.
        as_tuple: one variable [n, 1] per axis, as a tuple, instead.

    Returns:
        An int64 variable [n, k], n being the number of such elements.
    """
    coordinates = wheres.where_index(input)
    if not as_tuple:
        return coordinates
    return tuple(slice(coordinates, [1], [axis], [axis + 1]) for axis in range(len(input.shape)))
