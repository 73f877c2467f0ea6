"""Where in the user's program we were called from."""

from __future__ import annotations

import ast
import contextlib
import functools
import linecache
import os
import sys
from importlib.util import find_spec
from types import CodeType, FrameType, TracebackType
from typing import NamedTuple

_SRC = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# contextlib stands between the user's `with` and ours; plans and recipes are code that the engine writes.
_ENGINE = (
    os.path.join(_SRC, "refluid") + os.sep,
    os.path.join(_SRC, "paddle") + os.sep,
    contextlib.__file__,
    "<plan ",
    "<recipe ",
)
# Frames that may lie between two calls of the engine, or between its thread and it.
_LIBRARIES = (
    *(
        os.path.dirname(spec.origin) + os.sep
        for spec in map(find_spec, ("numpy", "torch", "grpc"))
        if spec and spec.origin
    ),
    "<frozen ",
)
_OPERATORS = os.path.join(_SRC, "refluid", "ops") + os.sep
_PYTHON = os.path.dirname(os.__file__) + os.sep
# Frames that stand between the user's line and what it asks for: a `with`, the choice of a mode, of a generation, of a
# module.
_BETWEEN = (
    contextlib.__file__,
    *(os.path.join(_SRC, "refluid", *path) + ".py"
      for path in (("core", "mode"), ("core", "generations"), ("core", "decorators"), ("core", "later"),
                   ("deferred",), ("incidental",))),
)  # fmt: skip


class CallSite(NamedTuple):
    filename: str
    line: int
    function: str

    def __str__(self) -> str:
        path = self.filename
        if os.path.isabs(path):
            relative = os.path.relpath(path)
            path = path if relative.startswith("..") else relative
        source = linecache.getline(self.filename, self.line).strip()
        where = f"{path}:{self.line}"
        if self.function != "<module>":
            where += f", in {self.function}"
        return f"{where}: {source}" if source else where


def user_site() -> CallSite | None:
    """The innermost line of the user's program, or None when the engine itself is the program, as in its threads."""
    frame = sys._getframe(1)
    while frame is not None:
        if is_program(frame.f_code.co_filename):
            return _site(frame.f_code, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment]  # the outermost frame has no caller
    return None


def called_function() -> str:
    """The name of the function of ours that the user's innermost line has called, `fc` for example."""
    frame = sys._getframe(1)
    name = frame.f_code.co_name
    while frame is not None and not is_program(frame.f_code.co_filename):
        filename = frame.f_code.co_filename
        if is_engine(filename) and not filename.startswith(_BETWEEN):
            name = _public_name(frame)
        frame = frame.f_back  # type: ignore[assignment]  # the outermost frame has no caller
    return name


def in_call(problem: str) -> str:
    """`problem` behind the name of the called function, unless an operator meets it, which adds its own name."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_program(frame.f_code.co_filename):
        if frame.f_code.co_filename.startswith(_OPERATORS):
            return problem
        frame = frame.f_back
    return f"{called_function()}: {problem}"


def _public_name(frame: FrameType) -> str:
    """What a user calls a function by: a class by its own name, a method by its class's, a private one likewise."""
    name = frame.f_code.co_name
    owner = frame.f_locals.get("self")
    if owner is None:
        return name
    kind = type(owner).__name__
    return kind if name in ("__init__", "__call__") else f"{kind}.{name}"


def raised_through(trace: TracebackType | None) -> CallSite | None:
    """The innermost line of the user's program that an exception has come through."""
    innermost = None
    while trace is not None:
        if is_program(trace.tb_frame.f_code.co_filename):
            innermost = _site(trace.tb_frame.f_code, trace.tb_lineno)
        trace = trace.tb_next
    return innermost


def ends_in_program(trace: TracebackType | None) -> bool:
    """Whether an exception was raised by the user's program, by a library that it had called, or by its very call.

    A call with too few arguments fails before a frame of what is called exists; that of a wrapper may. An attribute
    that does not exist is told by the engine's `__getattr__`, and is the user's slip.
    """
    ends = False
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if is_program(filename):
            ends = True
        elif is_engine(filename) and not filename.startswith(_BETWEEN):
            ends = trace.tb_frame.f_code.co_name == "__getattr__"
        trace = trace.tb_next
    return ends


def _site(code: CodeType, line: int) -> CallSite:
    return CallSite(code.co_filename, line, code.co_name)


@functools.cache
def is_loop_test(site: CallSite | None) -> bool:
    """Whether a line is the condition of a `while`, as far as its source tells."""
    try:
        tree = ast.parse("".join(linecache.getlines(site.filename))) if site is not None else None
    except (SyntaxError, ValueError):  # a cell of a notebook, a template: no Python by itself
        return False
    if site is None or tree is None:
        return False
    tests = (node.test for node in ast.walk(tree) if isinstance(node, ast.While))
    return any(test.lineno <= site.line <= (test.end_lineno or test.lineno) for test in tests)


def is_engine(filename: str) -> bool:
    """Whether code belongs to the engine, or is generated by it."""
    return filename.startswith(_ENGINE)


@functools.cache
def is_program(filename: str) -> bool:
    """Whether code is the user's: neither the engine's nor that of Python, numpy and torch."""
    if filename.startswith(_ENGINE) or filename.startswith(_LIBRARIES):
        return False
    # What is installed beside Python's own modules is no part of Python.
    return not filename.startswith(_PYTHON) or "-packages" + os.sep in filename


def site_rows(label: str) -> list[tuple[str, str]]:
    """The user's line as a row of an error's table; none when the engine itself is the program."""
    site = user_site()
    return [] if site is None else [(label, str(site))]
