"""What a translation refuses, told with the user's file and line."""

from __future__ import annotations

import ast
import linecache
import os
from types import CodeType

from refluid.core.errors import EnforceNotMet


class TranslationError(EnforceNotMet):
    """Python that cannot become part of a program."""


def where(filename: str, line: int, function: str = "") -> str:
    """`model.py:12, in forward: while x < 3:`, as failures of operators tell it."""
    shown = os.path.relpath(filename) if os.path.isabs(filename) else filename
    shown = filename if shown.startswith("..") else shown
    source = linecache.getline(filename, line).strip()
    told = f"{shown}:{line}" + (f", in {function}" if function else "")
    return f"{told}: {source}" if source else told


def at_node(reason: str, node: ast.AST, filename: str, function: str) -> TranslationError:
    """The error about a piece of source."""
    return TranslationError(f"declarative: {reason}", [("source", where(filename, node.lineno, function))])  # type: ignore[attr-defined]


def at_code(reason: str, code: CodeType) -> TranslationError:
    """The error about a function as a whole."""
    found = where(code.co_filename, code.co_firstlineno, code.co_name)
    return TranslationError(f"declarative: {reason}", [("source", found)])
