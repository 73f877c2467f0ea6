"""data: the inputs of a program."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError
from refluid.core.types import Dtype
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.variable import Variable
from refluid.layers.checks import integer


def data(
    name: str,
    shape: Sequence[int | None],
    append_batch_size: bool = True,
    dtype: Dtype = "float32",
    lod_level: int = 0,
    type: VarType = VarType.LOD_TENSOR,
    stop_gradient: bool = True,
) -> BaseVariable:
    """fluid.layers.data: an input of the program, without a check of what is fed.

    Args:
        name: its name, the key of the feed.
        shape: its shape; None or -1 where a size is not known.
        append_batch_size: put -1 for the batch before the shape, unless that holds a -1 itself.
        dtype: its dtype.
        lod_level: the number of its LoD levels; 0 for a dense variable.
        type: its type, LOD_TENSOR for example.
        stop_gradient: whether gradients stop at it.

    Returns:
        A variable of the program.

    Example:
        >>> fluid.layers.data("image", shape=[1, 28, 28]).shape
        (-1, 1, 28, 28)
    """
    sizes = _sizes("layers.data", name, shape)
    if append_batch_size and not any(size < 0 for size in sizes):  # Fluid: a shape that says -1 itself is whole
        sizes = [-1, *sizes]
    return _declare(name, sizes, dtype, lod_level, type, stop_gradient, check=False)


def fluid_data(name: str, shape: Sequence[int | None], dtype: Dtype = "float32", lod_level: int = 0) -> BaseVariable:
    """fluid.data: an input of the program; shapes and dtypes of feeds are checked.

    Args:
        name: its name, the key of the feed.
        shape: its whole shape; None or -1 where a size is not known.
        dtype: its dtype.
        lod_level: the number of its LoD levels; 0 for a dense variable.

    Returns:
        A variable of the program; gradients stop at it.

    Example:
        >>> fluid.data("image", shape=[None, 1, 28, 28]).shape
        (-1, 1, 28, 28)
    """
    return _declare(name, _sizes("fluid.data", name, shape), dtype, lod_level, VarType.LOD_TENSOR, True, check=True)


def _sizes(function: str, name: object, shape: Sequence[int | None]) -> list[int]:
    if not isinstance(name, str):
        raise ArgumentError(f"{function}: name must be a str, got {type(name).__name__}")
    if not isinstance(shape, list | tuple):
        raise ArgumentError(f"{function}: shape of {name!r} must be a list, got {type(shape).__name__}")
    return [-1 if size is None else integer(f"{function}: a size in the shape of {name!r}", size) for size in shape]


def _declare(
    name: str, shape: list[int], dtype: Dtype, lod_level: int, kind: VarType, stop: bool, check: bool
) -> Variable:
    block = programs.default_main_program().current_block()
    old = block.vars.get(name)
    if old is not None and old._shape is not None and (list(old.shape), old.lod_level) != (shape, lod_level):
        raise ArgumentError(
            f"data: {name!r} is declared in this program already, with the shape {list(old.shape)} and "
            f"{old.lod_level} LoD levels, so it cannot have {shape} and {lod_level}; choose another name"
        )
    return block.create_var(
        name=name, shape=shape, dtype=dtype, type=kind, stop_gradient=stop, lod_level=lod_level, is_data=True,
        need_check_feed=check,
    )  # fmt: skip
