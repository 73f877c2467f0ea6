"""What a translation refuses, told with the user's file and line."""

from __future__ import annotations

import ast
from types import CodeType

from refluid.core.callsite import CallSite, user_site
from refluid.core.errors import EnforceNotMet


class TranslationError(EnforceNotMet):
    """Python that cannot become part of a program."""


def refused(reason: str, site: CallSite | None = None) -> TranslationError:
    """The error about what the user's program does at `site`, by default where it is now."""
    return TranslationError(f"declarative: {reason}", [("source", str(site or user_site()))])


def at_node(reason: str, node: ast.AST, filename: str, function: str) -> TranslationError:
    """The error about a piece of source."""
    return refused(reason, CallSite(filename, node.lineno, function))  # type: ignore[attr-defined]


def definition_of(code: CodeType) -> CallSite:
    """Where a function begins."""
    return CallSite(code.co_filename, code.co_firstlineno, code.co_name)


def at_code(reason: str, code: CodeType) -> TranslationError:
    """The error about a function as a whole."""
    return refused(reason, definition_of(code))
