"""data: the inputs of a program."""

from __future__ import annotations

from typing import Any

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError
from refluid.ir import program as programs


def data(
    name: str,
    shape: Any,
    append_batch_size: bool = True,
    dtype: Any = "float32",
    lod_level: int = 0,
    type: Any = VarType.LOD_TENSOR,
    stop_gradient: bool = True,
) -> Any:
    """fluid.layers.data: an input of the program; -1 for the batch is put before the shape unless told otherwise."""
    sizes = _sizes("layers.data", name, shape)
    if append_batch_size and not any(size < 0 for size in sizes):  # Fluid: a shape that says -1 itself is whole
        sizes = [-1, *sizes]
    return _declare(name, sizes, dtype, lod_level, type, stop_gradient, check=False)


def fluid_data(name: str, shape: Any, dtype: Any = "float32", lod_level: int = 0) -> Any:
    """fluid.data: an input of the program with its whole shape, None or -1 where unknown; feeds are checked."""
    return _declare(name, _sizes("fluid.data", name, shape), dtype, lod_level, VarType.LOD_TENSOR, True, check=True)


def _sizes(function: str, name: Any, shape: Any) -> list[int]:
    if not isinstance(name, str):
        raise ArgumentError(f"{function}: name must be a str, got {type(name).__name__}")
    if not isinstance(shape, list | tuple):
        raise ArgumentError(f"{function}: shape of {name!r} must be a list, got {type(shape).__name__}")
    return [-1 if size is None else int(size) for size in shape]


def _declare(name: str, shape: list[int], dtype: Any, lod_level: int, kind: Any, stop: bool, check: bool) -> Any:
    block = programs.default_main_program().current_block()
    return block.create_var(
        name=name, shape=shape, dtype=dtype, type=kind, stop_gradient=stop, lod_level=lod_level, is_data=True,
        need_check_feed=check,
    )  # fmt: skip
