"""How much memory a program takes, and the functions of 1.5 that were to make it less."""

from __future__ import annotations

import logging
import math
from collections.abc import Collection
from typing import TYPE_CHECKING

from refluid.core import dtypes
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, ShapeError
from refluid.ir.operator import EMPTY
from refluid.ir.program import Program

if TYPE_CHECKING:
    from refluid.ir.variable import Variable

_logger = logging.getLogger("refluid")

dtype_to_size = {dtype: dtypes.size_of_dtype(dtype) for dtype in dtypes.NAME}


def memory_usage(program: Program, batch_size: int) -> tuple[float, float, str]:
    """An estimate of the memory that the results of all operators take together.

    Args:
        program: its global block is measured.
        batch_size: replaces unknown sizes.

    Returns:
        (lower, upper, unit): the sum with 5 % and with 10 % for the rest, and "B", "KB" or "MB". Plans free results
        after their last use, so a run takes less.

    Example:
        >>> y = fluid.layers.fc(fluid.data("x", [None, 256]), size=256, bias_attr=False)
        >>> lower, upper, unit = fluid.contrib.memory_usage(fluid.default_main_program(), batch_size=1024)
        >>> round(lower, 2), round(upper, 2), unit
        (1075.2, 1126.4, 'KB')
    """
    _check_program("memory_usage", program)
    if batch_size <= 0:
        raise ArgumentError(f"memory_usage: batch_size must be positive, got {batch_size!r}")
    block = program.global_block()
    names = dict.fromkeys(name for op in block.ops for name in op.output_arg_names if name != EMPTY)
    variables = (block.find_var(name) for name in names)
    total = float(
        sum(_bytes(var, batch_size) for var in variables if var is not None and var.type == VarType.LOD_TENSOR)
    )
    unit = "B"
    for larger in ("KB", "MB"):
        if total > 1024:
            total, unit = total / 1024, larger
    return total * 1.05, total * 1.1, unit


def _bytes(var: Variable, batch_size: int) -> int:
    if sum(size < 0 for size in var.shape) > 1:
        raise ShapeError(f"memory_usage: {var.name} {list(var.shape)} has more than one unknown size")
    return math.prod(batch_size if size < 0 else size for size in var.shape) * dtypes.TORCH[var.dtype].itemsize


def memory_optimize(
    input_program: Program,
    skip_opt_set: Collection[str] | None = None,
    print_log: bool = False,
    level: int = 0,
    skip_grads: bool = True,
) -> None:
    """Change nothing, and say so: every plan frees results after their last use and works in place.

    Until 1.5 this let variables share memory by renaming them.

    Args:
        input_program: a Program.
        skip_opt_set: no effect.
        print_log: no effect.
        level: no effect.
        skip_grads: no effect.

    Returns:
        None.

    Example:
        >>> fluid.memory_optimize(fluid.default_main_program())
    """
    _check_program("memory_optimize", input_program)
    _logger.warning(
        "fluid.memory_optimize changes nothing since 1.6: every program frees results after their last use; "
        "the call can be taken out"
    )


def release_memory(input_program: Program, skip_opt_set: Collection[str] | None = None) -> None:
    """Change nothing, and say so; see `memory_optimize`.

    Args:
        input_program: a Program.
        skip_opt_set: no effect.

    Returns:
        None.
    """
    _check_program("release_memory", input_program)
    _logger.warning(
        "fluid.release_memory changes nothing since 1.6: every program frees results after their last use; "
        "the call can be taken out"
    )


def _check_program(function: str, program: object) -> None:
    if not isinstance(program, Program):
        raise DtypeError(f"{function}: expected a fluid.Program, got {type(program).__name__}")
