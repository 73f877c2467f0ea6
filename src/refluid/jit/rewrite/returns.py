"""Early returns: a function comes to have one `return`, at its end.

What follows an `if` that returns moves into the other branch. Where that is not enough (the return is in a loop, or in
one of several nested branches) a flag says that the function has returned, and what follows asks for it.
"""

from __future__ import annotations

import ast

from refluid.jit.rewrite import make

VALUE, DONE = "_result", "_returned"
_LOOPS = (ast.For, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def has(node: ast.AST | list[ast.stmt], kinds: type | tuple[type, ...], stop: tuple[type, ...] = ()) -> bool:
    """Whether a statement of these kinds is inside, functions and what is in `stop` left out."""
    stack: list[ast.AST] = [n for n in (node if isinstance(node, list) else [node]) if not isinstance(n, _SCOPES)]
    while stack:
        current = stack.pop()
        if isinstance(current, kinds):
            return True
        stack += [c for c in ast.iter_child_nodes(current) if not isinstance(c, _SCOPES + stop)]
    return False


def always(statements: list[ast.stmt], kinds: tuple[type, ...]) -> bool:
    """Whether every way through the statements ends in one of these kinds."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, ast.If):
        return always(last.body, kinds) and always(last.orelse, kinds)
    return isinstance(last, kinds)


def bodies(statement: ast.stmt) -> list[tuple[ast.AST, str]]:
    """(node, field) of the lists of statements inside a compound statement."""
    lists: list[tuple[ast.AST, str]] = [
        (statement, name) for name in ("body", "orelse", "finalbody") if getattr(statement, name, None)
    ]
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        lists.append((part, "body"))
    return lists


class Returns:
    def __init__(self, function: ast.FunctionDef):
        self.function = function
        self.guarded = False

    def run(self) -> None:
        body = self.function.body
        if not has(body[:-1], ast.Return) and (isinstance(body[-1], ast.Return) or not has(body[-1], ast.Return)):
            return
        if not always(body, (ast.Return, ast.Raise)):
            body = body + make.placed([ast.Return(make.constant(None))], body[-1])
        new = self._block(body, in_loop=False)
        if self.guarded:
            start: list[ast.stmt] = [make.assign(DONE, make.constant(False)), make.assign(VALUE, make.call("no_value"))]
            new = make.placed(start, self.function.body[0]) + new
        else:
            new = _without_flag(new)
        self.function.body = new + make.placed([ast.Return(make.name(VALUE))], body[-1])

    def _block(self, statements: list[ast.stmt], in_loop: bool) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for i, statement in enumerate(statements):
            rest = statements[i + 1 :]
            if isinstance(statement, ast.Return):
                out.append(make.assign(VALUE, statement.value or make.constant(None)))
                out.append(make.assign(DONE, make.constant(True)))
                if in_loop:
                    self.guarded = True
                    out.append(ast.Break())
                make.placed(out[-3:], statement)
                return out
            if not has(statement, ast.Return):
                out.append(statement)
                continue
            if isinstance(statement, ast.If) and always(statement.body, (ast.Return, ast.Raise)):
                statement.orelse, rest = statement.orelse + rest, []
            elif isinstance(statement, ast.If) and always(statement.orelse, (ast.Return, ast.Raise)):
                statement.body, rest = statement.body + rest, []
            looping = isinstance(statement, _LOOPS)
            for node, field in bodies(statement):
                inside = looping and field == "body"
                setattr(node, field, self._block(getattr(node, field), in_loop or inside))
            out.append(statement)
            if looping and in_loop:
                out += make.placed([ast.If(make.name(DONE), [ast.Break()], [])], statement)
            if rest:
                self.guarded = True
                guard = ast.If(make.call("not_", make.name(DONE)), self._block(rest, in_loop), [])
                out += make.placed([guard], rest[0])
            return out
        return out


def _without_flag(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Every way through ends in one assignment of the value: nobody asks for the flag."""

    class Drop(ast.NodeTransformer):
        def visit_Assign(self, node: ast.Assign) -> ast.Assign | None:
            first = node.targets[0]
            return None if isinstance(first, ast.Name) and first.id == DONE else node

    return [kept for statement in statements if (kept := Drop().visit(statement)) is not None]
