"""Which names a piece of source sets, changes and reads."""

from __future__ import annotations

import ast
from collections.abc import Iterable

# Methods that change a list, dict or set where it is.
_CHANGING = {"append", "extend", "insert", "pop", "remove", "clear", "update", "setdefault", "add"}


class _Writes(ast.NodeVisitor):
    """Names (and dotted attributes of names, such as `self.state`) that statements set or change."""

    def __init__(self, local: set[str]) -> None:
        self.local = local
        self.found: dict[str, None] = {}

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store | ast.Del):
            self.found[node.id] = None

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Store | ast.Del):
            path = dotted(node)
            if path is not None:
                self.found[path] = None
        elif node.attr in _CHANGING:
            path = _container(node.value)
            if path is not None and path.split(".")[0] in self.local:
                self.found[path] = None
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Store | ast.Del):
            path = _container(node.value)
            if path is not None and path.split(".")[0] in self.local:
                self.found[path] = None
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.found[node.name] = None
        self.found.update(dict.fromkeys(_outer_names(node)))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.found[node.name] = None

    def visit_Lambda(self, node: ast.Lambda) -> None:
        pass  # has names of its own

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._visit_comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._visit_comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._visit_comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._visit_comprehension(node)

    def _visit_comprehension(self, node: ast.AST) -> None:
        own = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        inner = _Writes(self.local)
        inner.generic_visit(node)
        self.found.update({name: None for name in inner.found if name not in own})

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.found[node.name] = None
        self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> None:
        self.found[(node.asname or node.name).split(".")[0]] = None


def _container(node: ast.AST) -> str | None:
    """The name of what holds a value: `d` for `d["a"][0]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return dotted(node)


def _outer_names(function: ast.FunctionDef) -> list[str]:
    return [name for n in ast.walk(function) if isinstance(n, ast.Nonlocal) for name in n.names]


def written(statements: Iterable[ast.AST], local: set[str]) -> list[str]:
    """What the statements set, and what containers among the function's `local` names they change."""
    visitor = _Writes(local)
    for statement in statements:
        visitor.visit(statement)
    return list(visitor.found)


def dotted(node: ast.AST) -> str | None:
    """`self.cell.state` for such an expression, the name for a name, else None."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return None if base is None else f"{base}.{node.attr}"
    return None


def loads(node: ast.AST) -> dict[str, int]:
    """How often each name, or dotted attribute of one, is read."""
    counts: dict[str, int] = {}
    for child in ast.walk(node):
        if isinstance(child, ast.Name | ast.Attribute) and isinstance(child.ctx, ast.Load):
            path = dotted(child)
            if path is not None:
                counts[path] = counts.get(path, 0) + 1
        elif isinstance(child, ast.AugAssign):
            path = dotted(child.target)
            if path is not None:
                counts[path] = counts.get(path, 0) + 1
    return counts


def locals_of(function: ast.FunctionDef) -> set[str]:
    """The parameters of a function and the names that it sets."""
    args = function.args
    found = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg) if a is not None}
    return found | {name for name in written(function.body, set()) if "." not in name}


def global_names(function: ast.FunctionDef) -> set[str]:
    return {name for n in ast.walk(function) if isinstance(n, ast.Global) for name in n.names}
