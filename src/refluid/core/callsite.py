"""Where in the user's program we were called from."""

from __future__ import annotations

import ast
import contextlib
import functools
import linecache
import os
import sys
from typing import NamedTuple

_SRC = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# contextlib stands between the user's `with` and ours.
_ENGINE = (os.path.join(_SRC, "refluid") + os.sep, os.path.join(_SRC, "paddle") + os.sep, contextlib.__file__)


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
    """The innermost frame outside the engine, or None when the engine itself is the program."""
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if is_user_file(code.co_filename):
            return CallSite(code.co_filename, frame.f_lineno, code.co_name)
        frame = frame.f_back  # type: ignore[assignment]  # the outermost frame has no caller
    return None


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


def is_user_file(filename: str) -> bool:
    return not filename.startswith(_ENGINE)


def site_rows(label: str) -> list[tuple[str, str]]:
    """The user's line as a row of an error's table; none when the engine itself is the program."""
    site = user_site()
    return [] if site is None else [(label, str(site))]
