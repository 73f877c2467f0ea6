"""fluid.layers.{load, save, save_combine, load_combine}: files as steps of a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refluid.core.callsite import site_rows
from refluid.core.errors import ArgumentError
from refluid.ir.program import default_main_program
from refluid.ir.variable import Variable


def load(out: Variable, file_path: str, load_as_fp16: bool = False) -> None:
    """Append an operator that reads a variable from a file that `save_vars`, or the operator `save`, has written.

    Args:
        out: the variable to fill.
        file_path: the file.
        load_as_fp16: convert to float16.

    Returns:
        None.
    """
    _append("load", {}, {"Out": out}, {"file_path": file_path, "load_as_fp16": load_as_fp16})


def save(x: Variable, file_path: str, overwrite: bool = True) -> None:
    """Append an operator that writes a variable to a file.

    Args:
        x: the variable.
        file_path: the file.
        overwrite: whether a file that is there already may be replaced.

    Returns:
        None.
    """
    _append("save", {"X": x}, {}, {"file_path": file_path, "overwrite": overwrite})


def save_combine(x: Sequence[Variable], file_path: str, overwrite: bool = True) -> None:
    """Append an operator that writes variables, in their order, to one file.

    Args:
        x: the variables.
        file_path: the file.
        overwrite: whether a file that is there already may be replaced.

    Returns:
        None.
    """
    _append(
        "save_combine", {"X": _variables("save_combine", "x", x)}, {}, {"file_path": file_path, "overwrite": overwrite}
    )


def load_combine(out: Sequence[Variable], file_path: str) -> None:
    """Append an operator that reads variables, in their order, from one file.

    Args:
        out: the variables to fill.
        file_path: a file that `save_combine` has written.

    Returns:
        None.
    """
    _append("load_combine", {}, {"Out": _variables("load_combine", "out", out)}, {"file_path": file_path})


def _variables(function: str, argument: str, value: object) -> list[Variable]:
    variables: list[Any] = list(value) if isinstance(value, list | tuple) else [value]
    for var in variables:
        if not isinstance(var, Variable):
            raise ArgumentError(
                f"{function}: {argument} must be a list of Variables, got {var!r:.60}", site_rows("built")
            )
    return variables


def _append(type: str, inputs: dict[str, Any], outputs: dict[str, Any], attrs: dict[str, Any]) -> None:
    default_main_program().current_block().append_op(type, inputs, outputs, attrs)
