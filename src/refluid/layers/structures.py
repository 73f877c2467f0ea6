"""paddle.fluid.layers.utils: nested lists, tuples and dictionaries, as programs with recurrent networks handle them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError, DtypeError
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable
from refluid.layers.control_flow.nest import Structure, flatten as _flatten, outline, pack
from refluid.layers.creation import fill_constant
from refluid.layers.tensor import cast
from refluid.layers.type_checks import check_dtype, check_type, convert_dtype

if TYPE_CHECKING:
    from refluid.layers.helper import LayerHelper


def is_sequence(seq: object) -> bool:
    """Whether this is a container: a list, a tuple or a dict; not a string, not an array.

    Args:
        seq: anything.

    Returns:
        A bool.
    """
    return isinstance(seq, Sequence | Mapping) and not isinstance(seq, str)


def flatten(nest: Structure) -> list[Any]:
    """The leaves of a structure in order; dicts in the order of their keys.

    Args:
        nest: a structure: a leaf, or a list, tuple or dict of structures.

    Returns:
        A list of leaves.

    Example:
        >>> flatten({"b": 1, "a": [2, (3, 4)]})
        [2, 3, 4, 1]
    """
    return _flatten(nest)


def pack_sequence_as(structure: Structure, flat_sequence: Sequence[Any]) -> Structure:
    """A structure like another one with new leaves; the inverse of `flatten`.

    Args:
        structure: the structure that is copied.
        flat_sequence: the leaves, a list or tuple.

    Returns:
        A structure like `structure`.

    Example:
        >>> pack_sequence_as([0, (0, 0)], [1, 2, 3])
        [1, (2, 3)]
    """
    if not is_sequence(flat_sequence):
        raise DtypeError(
            f"pack_sequence_as: flat_sequence must be a list or a tuple, got {type(flat_sequence).__name__}"
        )
    leaves, count = list(flat_sequence), len(flatten(structure))
    if len(leaves) != count:
        raise ArgumentError(
            f"pack_sequence_as: the structure {outline(structure)} has {count} leaves, "
            f"but flat_sequence has {len(leaves)}"
        )
    return pack(structure, leaves)


def map_structure(func: Callable, *structure: Structure) -> Structure:
    """A function applied to the leaves of structures at the same position.

    Args:
        func: takes a leaf of every structure.
        structure: structures that are nested alike.

    Returns:
        A structure like the first one with the results.

    Example:
        >>> map_structure(lambda a, b: a + b, [1, (2, 3)], [10, (20, 30)])
        [11, (22, 33)]
    """
    if not structure:
        raise ArgumentError("map_structure: expected at least one structure after func, got none")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=False)
    return pack(structure[0], [func(*leaves) for leaves in zip(*map(flatten, structure), strict=True)])


def assert_same_structure(nest1: Structure, nest2: Structure, check_types: bool = True) -> None:
    """Raise an error if two structures are not nested alike.

    Args:
        nest1: a structure.
        nest2: a structure.
        check_types: their lists, tuples and dicts must have the same types.

    Returns:
        None.
    """
    if is_sequence(nest1) != is_sequence(nest2):
        raise ArgumentError(f"the structures differ: {outline(nest1)} and {outline(nest2)}")
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise DtypeError(f"the structures differ: a {type(nest1).__name__} and a {type(nest2).__name__}")
    if isinstance(nest1, Mapping) != isinstance(nest2, Mapping) or len(nest1) != len(nest2):
        raise ArgumentError(f"the structures differ: {outline(nest1)} and {outline(nest2)}")
    if isinstance(nest1, Mapping) and nest1.keys() != nest2.keys():
        raise ArgumentError(f"the structures differ: a dict of {sorted(nest1)} and a dict of {sorted(nest2)}")
    for part1, part2 in zip(_parts(nest1), _parts(nest2), strict=True):
        assert_same_structure(part1, part2, check_types)


def _parts(nest: Structure) -> list[Any]:
    return [nest[key] for key in sorted(nest)] if isinstance(nest, Mapping) else list(nest)


def convert_to_list(value: object, n: int, name: str, dtype: type = int) -> list[Any]:
    """A number repeated n times, or n numbers as a list.

    Args:
        value: a number, or a list or tuple of n numbers.
        n: how many.
        name: the name of the argument, for the error.
        dtype: the type of the numbers.

    Returns:
        A list of n numbers.

    Example:
        >>> convert_to_list(3, 2, "stride")
        [3, 3]
    """
    if isinstance(value, dtype):
        return [value] * n
    if not isinstance(value, list | tuple) or len(value) != n:
        raise ArgumentError(f"{name} must be one {dtype.__name__} or a list or tuple of {n}, got {value!r}")
    for number in value:
        try:
            dtype(number)
        except (TypeError, ValueError):
            raise ArgumentError(f"{name} must be {n} of type {dtype.__name__}, got {value!r}") from None
    return list(value)


def hold_mutable_vars(structure: Structure) -> bool:
    """Whether any element of a structure is a list, a tuple or a dict.

    Args:
        structure: a list or tuple.

    Returns:
        A bool.
    """
    return any(is_sequence(element) for element in structure)


def copy_mutable_vars(structure: Structure) -> Structure:
    """A copy of the lists, tuples and dicts of a structure, with the same leaves.

    Args:
        structure: a structure.

    Returns:
        A structure like it.
    """
    return pack_sequence_as(structure, flatten(structure))


def _is_symmetric_padding(padding: Sequence[int], data_dim: int) -> bool:
    """Whether both sides of every axis have the same padding: [top, bottom, left, right], or one number per axis."""
    if len(padding) not in (data_dim, 2 * data_dim):
        raise ArgumentError(f"padding must be {data_dim} or {2 * data_dim} numbers, got {list(padding)}")
    return len(padding) == data_dim or list(padding[::2]) == list(padding[1::2])


def _contain_var(list_or_tuple: Sequence[Any]) -> bool:
    """Whether any of the elements is a variable, of either mode."""
    return any(is_variable(element) for element in list_or_tuple)


def _get_shape_tensor_inputs(
    inputs: dict, helper: LayerHelper, attrs: dict, shape: Sequence[int], op_type: str
) -> dict[str, Any]:
    """Write a shape that may hold variables into the inputs and attributes of an operator, and return the inputs.

    A variable goes to ShapeTensor, a list with variables to ShapeTensorList, and numbers to the attribute `shape`, with
    -1 where a variable stands.
    """
    if is_variable(shape):
        check_dtype(shape.dtype, "shape", ["int32", "int64"], op_type)
        shape.stop_gradient = True
        inputs["ShapeTensor"] = shape if convert_dtype(shape.dtype) == "int32" else cast(shape, "int32")
        return inputs
    check_type(shape, "shape", (list, tuple), op_type)
    attrs["shape"] = [-1 if is_variable(size) else size for size in shape]
    if _contain_var(shape):
        inputs["ShapeTensorList"] = [_size_tensor(size, op_type) for size in shape]
    return inputs


def _size_tensor(size: int | BaseVariable, op_type: str) -> BaseVariable:
    """A size as a variable of int32."""
    if not is_variable(size):
        return fill_constant([1], "int32", size, force_cpu=True)
    check_dtype(size.dtype, "shape", ["int32", "int64"], op_type)
    size.stop_gradient = True
    return size if convert_dtype(size.dtype) == "int32" else cast(size, "int32")
