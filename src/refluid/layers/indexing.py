"""Some of the elements: slices, rows, elements by index; and writing to them."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.common import as_list
from refluid.layers.creation import zeros
from refluid.layers.numbers import ints, is_variable, mixed, stopped
from refluid.ops.shape import gather as gathers, gather_nd as gather_nds, where as wheres
from refluid.ops.shape.multiplex import multiplex as multiplex_op
from refluid.ops.shape.scatter import scatter as scatter_op
from refluid.ops.shape.slice import slice as slice_op
from refluid.ops.shape.strided_slice import strided_slice as strided_slice_op


def slice(input: Any, axes: Any, starts: Any, ends: Any) -> Any:
    """The part from starts[i] up to, but without, ends[i] along every axes[i].

    Args:
        starts, ends: lists of ints and one-element variables, or int32 variables; negative: from the end; an end
            beyond the size: to the end.
    """
    layer = LayerName("slice")
    at = ints("slice: axes", axes)
    whole, lists, attrs, known = _positions("slice", layer, len(at), starts=starts, ends=ends)
    # Fluid: when starts or ends come as variables as a whole, nothing is known of any axis.
    flags = [1 if known[i] and not any(w is not None for w in whole) else -1 for i in range(len(at))]
    return slice_op(input, *whole, *lists, name=layer, axes=at, infer_flags=flags, **attrs)


def strided_slice(input: Any, axes: Any, starts: Any, ends: Any, strides: Any) -> Any:
    """Every strides[i]-th element from starts[i] up to, but without, ends[i] along every axes[i].

    Args:
        starts, ends, strides: lists of ints and one-element variables, or int32 variables; a negative stride goes
            backwards.
    """
    layer = LayerName("strided_slice")
    at = ints("strided_slice: axes", axes)
    whole, lists, attrs, known = _positions("strided_slice", layer, len(at), starts=starts, ends=ends, strides=strides)
    flags = [1 if one else -1 for one in known]
    return strided_slice_op(input, *whole, *lists, name=layer, axes=at, infer_flags=flags, **attrs)


def _positions(kind: str, layer: LayerName, count: int, **given: Any) -> tuple[list, list, dict[str, Any], list[bool]]:
    """(whole variables, lists of variables, attributes, which axes are known) of what was given, in its order."""
    whole: list[Any] = []
    lists: list[Any] = []
    attrs: dict[str, Any] = {}
    known = [True] * count
    for name, value in given.items():
        variables = None
        if is_variable(value):
            stopped(value)
        else:
            attrs[name], variables = mixed(f"{kind}: {name}", value, layer)
            if len(attrs[name]) != count:
                raise ArgumentError(f"{kind}: {count} axes, but {len(attrs[name])} {name}")
            if variables is not None:
                known = [ok and not is_variable(one) for ok, one in zip(known, value, strict=True)]
        whole.append(value if is_variable(value) else None)
        lists.append(variables)
    return whole, lists, attrs, known


def gather(input: Any, index: Any, overwrite: bool = True) -> Any:
    """The rows of input that index names.

    Args:
        index: an int vector, or [N, 1].
        overwrite: how gradients of a row that is named twice meet: True: one of them stands; False: they add up.
    """
    return gathers.gather(input, index, overwrite=overwrite)


def gather_nd(input: Any, index: Any, name: str | None = None) -> Any:
    """The elements or slices of input that the rows of index name, one coordinate per column."""
    return gather_nds.gather_nd(input, index, name=name)


def index_select(input: Any, index: Any, dim: int = 0) -> Any:
    """The slices along an axis that an int vector names."""
    return gathers.index_select(input, index, dim=dim)


def index_sample(x: Any, index: Any) -> Any:
    """From every row of x [N, M] the elements that the same row of index [N, K] names."""
    return gathers.index_sample(x, index)


def scatter(input: Any, index: Any, updates: Any, name: str | None = None, overwrite: bool = True) -> Any:
    """A copy of input in which the rows that index names are those of updates.

    Args:
        overwrite: False: the rows are zeroed first and updates add up where a row is named twice.
    """
    return scatter_op(input, index, updates, name=name, overwrite=overwrite)


def scatter_nd_add(ref: Any, index: Any, updates: Any, name: str | None = None) -> Any:
    """A copy of ref with updates added where the rows of index say."""
    return gather_nds.scatter_nd_add(ref, index, updates, name=name)


def scatter_nd(index: Any, updates: Any, shape: Any, name: str | None = None) -> Any:
    """Zeros of a shape with updates added where the rows of index say."""
    return scatter_nd_add(zeros(shape, updates.dtype), index, updates, name)


def multiplex(inputs: Any, index: Any) -> Any:
    """Row i of the variable that index[i] names among inputs.

    Args:
        inputs: at least two variables of one shape.
        index: int32 [N, 1].
    """
    candidates = as_list(inputs)
    if len(candidates) < 2:
        raise ArgumentError(f"multiplex: inputs must be two variables or more, got {len(candidates)}")
    return multiplex_op(index, candidates)


def where(condition: Any) -> Any:
    """The int64 coordinates of the elements that hold, one row for each."""
    return wheres.where_index(condition)


def nonzero(input: Any, as_tuple: bool = False) -> Any:
    """The int64 coordinates of the elements that are not 0, one row for each.

    Args:
        as_tuple: a tuple with one variable per axis instead.
    """
    found = wheres.where_index(input)
    if not as_tuple:
        return found
    return tuple(slice(found, [1], [axis], [axis + 1]) for axis in range(len(input.shape)))
