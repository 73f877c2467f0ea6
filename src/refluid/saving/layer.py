"""fluid.layers.load: reading a variable from a file as a step of a program."""

from __future__ import annotations

from refluid.ir.program import default_main_program
from refluid.ir.variable import Variable


def load(out: Variable, file_path: str, load_as_fp16: bool = False) -> None:
    """Let a program read a variable from a file that `save_vars`, or the operator `save`, has written.

    Args:
        out: the variable to fill.
        file_path: the file.
        load_as_fp16: convert to float16.
    """
    attrs = {"file_path": file_path, "load_as_fp16": load_as_fp16}
    default_main_program().current_block().append_op("load", {}, {"Out": out}, attrs)
