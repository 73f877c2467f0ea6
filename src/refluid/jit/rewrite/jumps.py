"""break and continue: become flags, and what they skip asks for them."""

from __future__ import annotations

import ast
from typing import Any

from refluid.jit.rewrite import make
from refluid.jit.rewrite.returns import always, bodies, has

_LOOPS = (ast.For, ast.While)
_JUMPS = (ast.Break, ast.Continue)


class Jumps(ast.NodeTransformer):
    """Leaves on a loop, as `stop_flag`, the name of the flag that ends it (None: there is no break)."""

    def __init__(self) -> None:
        self.count = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    visit_ClassDef = visit_Lambda = visit_FunctionDef  # type: ignore[assignment]

    def run(self, function: ast.FunctionDef) -> None:
        function.body = self._each(function.body)

    def _each(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for one in statements:
            found = self.visit(one)
            out += found if isinstance(found, list) else [found]
        return out

    def visit_For(self, node: Any) -> list[ast.stmt]:
        self.generic_visit(node)
        node.stop_flag = None
        breaks, continues = has(node.body, ast.Break, _LOOPS), has(node.body, ast.Continue, _LOOPS)
        after = node.orelse
        node.orelse = []
        if not breaks and not continues:
            return [node, *after]
        self.count += 1
        stop, skip = f"_break_{self.count}", f"_continue_{self.count}"
        flags = [flag for flag, used in ((stop, breaks), (skip, continues)) if used]
        node.body = self._block(node.body, stop, skip, flags)
        if continues:
            node.body = make.placed([make.assign(skip, make.constant(False))], node) + node.body
        if not breaks:
            return [node, *after]
        node.stop_flag = stop
        if after:
            after = make.placed([ast.If(make.call("not_", make.name(stop)), after, [])], after[0])
        return [*make.placed([make.assign(stop, make.constant(False))], node), node, *after]

    visit_While = visit_For

    def _block(self, statements: list[ast.stmt], stop: str, skip: str, flags: list[str]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for i, statement in enumerate(statements):
            rest = statements[i + 1 :]
            if isinstance(statement, _JUMPS):
                flag = stop if isinstance(statement, ast.Break) else skip
                return out + make.placed([make.assign(flag, make.constant(True))], statement)
            if isinstance(statement, _LOOPS) or not has(statement, _JUMPS, _LOOPS):
                out.append(statement)
                continue
            if isinstance(statement, ast.If) and always(statement.body, _JUMPS):
                statement.orelse, rest = statement.orelse + rest, []
            elif isinstance(statement, ast.If) and always(statement.orelse, _JUMPS):
                statement.body, rest = statement.body + rest, []
            for node, field in bodies(statement):
                setattr(node, field, self._block(getattr(node, field), stop, skip, flags))
            out.append(statement)
            if rest:
                asked: list[ast.expr] = [make.thunk(make.name(flag)) for flag in flags]
                test = make.call("not_", make.call("or_", *asked) if len(flags) > 1 else make.name(flags[0]))
                out += make.placed([ast.If(test, self._block(rest, stop, skip, flags), [])], rest[0])
            return out
        return out
