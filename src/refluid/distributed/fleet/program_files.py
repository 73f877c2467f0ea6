"""Programs in files, binary or as text."""

from __future__ import annotations

import os

from google.protobuf import text_format

from refluid.ir.program import Program
from refluid.saving.framework_messages import ProgramDesc
from refluid.saving.program_file import from_bytes, to_bytes


def load_program(model_filename: str, is_text: bool = False) -> Program:
    """The program in a file."""
    return load_program_text(model_filename) if is_text else load_program_binary(model_filename)


def load_program_binary(model_filename: str) -> Program:
    """The program in a file as `__model__` is."""
    with open(model_filename, "rb") as file:
        return from_bytes(file.read(), model_filename)


def load_program_text(model_filename: str) -> Program:
    """The program in a file of protobuf's text."""
    with open(model_filename) as text:
        return from_bytes(text_format.Parse(text.read(), ProgramDesc()).SerializeToString(), model_filename)


def save_program(program: Program, model_filename: str = "__model__", is_text: bool = False) -> None:
    """Write a program to a file."""
    data = to_bytes(program)
    if is_text:
        with open(model_filename, "w") as text:
            text.write(text_format.MessageToString(ProgramDesc.FromString(data)))
        return
    with open(model_filename, "wb") as file:
        file.write(data)


def program_type_trans(prog_dir: str, prog_fn: str, is_text: bool) -> str:
    """Write a binary program as text beside it, or the other way round; returns the name of the new file."""
    made = f"{prog_fn}.bin" if is_text else f"{prog_fn}.pbtxt"
    save_program(load_program(os.path.join(prog_dir, prog_fn), is_text), os.path.join(prog_dir, made), not is_text)
    return made
