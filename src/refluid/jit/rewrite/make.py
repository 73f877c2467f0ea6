"""Small pieces of tree that the transformers put together."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from refluid.jit.rewrite.source import RUNTIME, new_function, parameters as arguments


def name(text: str) -> ast.expr:
    """A read of a name or a dotted attribute."""
    first, *rest = text.split(".")
    found: ast.expr = ast.Name(first, ast.Load())
    for part in rest:
        found = ast.Attribute(found, part, ast.Load())
    return found


def target(text: str) -> ast.expr:
    """The same to be assigned to."""
    found = name(text)
    found.ctx = ast.Store()  # type: ignore[attr-defined]
    return found


def call(helper: str, *args: ast.expr) -> ast.Call:
    """A call of the runtime."""
    return ast.Call(ast.Attribute(ast.Name(RUNTIME, ast.Load()), helper, ast.Load()), list(args), [])


def thunk(body: ast.expr) -> ast.Lambda:
    """The expression, to be computed when asked for."""
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def constant(value: str | bool | None) -> ast.Constant:
    return ast.Constant(value)


def assign(text: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([target(text)], value, lineno=0)


def function(text: str, parameters: list[str], body: list[ast.stmt]) -> ast.FunctionDef:
    return new_function(text, arguments(parameters), body)


def texts(names: Iterable[str]) -> ast.Tuple:
    return ast.Tuple([constant(one) for one in names], ast.Load())


def placed(statements: list[ast.stmt], where: ast.AST) -> list[ast.stmt]:
    """The statements with the position of `where`, in all their parts that have none of their own."""
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.expr | ast.stmt | ast.arg) and not getattr(node, "lineno", 0):
                node.lineno = node.end_lineno = where.lineno  # type: ignore[attr-defined]
                node.col_offset = node.end_col_offset = where.col_offset  # type: ignore[attr-defined]
    return statements
