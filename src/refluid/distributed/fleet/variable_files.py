"""Single variables in files, by a program with one operator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from refluid.core.places import CPUPlace
from refluid.executor.executor import Executor
from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ir.program import Program, program_guard
from refluid.layers.data import data

if TYPE_CHECKING:
    from refluid.core.types import Dtype


def append_save_op(block: Block, var: BaseVariable, path: str) -> None:
    """Let a block write a variable to a file."""
    block.append_op("save", {"X": [var]}, {}, {"file_path": path})


def append_load_op(block: Block, var: BaseVariable, path: str) -> None:
    """Let a block read a variable from a file."""
    block.append_op("load", {}, {"Out": [var]}, {"file_path": path})


def save_var(np_array: np.ndarray, var_name: str, shape_list: list[int], dtype: Dtype, save_path: str) -> None:
    """Write an array as the file of a variable; `shape_list` is that of an example."""
    program = Program()
    with program_guard(program):
        append_save_op(program.global_block(), data(var_name, shape_list, dtype=dtype), save_path)
        Executor(CPUPlace()).run(program, feed={var_name: np_array})


def load_var(var_name: str, shape_list: list[int], dtype: Dtype, save_path: str) -> list[np.ndarray]:
    """The array in the file of a variable, in a list."""
    program = Program()
    with program_guard(program):
        variable = data(var_name, shape_list, dtype=dtype)
        append_load_op(program.global_block(), variable, save_path)
        return Executor(CPUPlace()).run(program, fetch_list=[variable])
