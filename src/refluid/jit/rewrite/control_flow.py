"""if, while and for: their blocks become functions, and a call of the runtime decides what to do with them.

if mean(x) > 0:          def _true_1():
    y = x - 1                nonlocal y
else:                        y = x - 1
    y = x + 1            ...
                         _jst.if_(mean(x) > 0, _true_1, _false_1, ('y',), _get_1, _set_1)
"""

from __future__ import annotations

import ast
from typing import Any

from refluid.jit.rewrite import make
from refluid.jit.rewrite.names import global_names, loads, locals_of, written


class ControlFlow(ast.NodeTransformer):
    def __init__(self, function: ast.FunctionDef):
        self.function = function
        self.count = 0
        self.globals = global_names(function)
        self.rebound: dict[str, None] = {}  # what the functions made here set: must be local to the function
        self.generated: list[ast.FunctionDef] = []
        local = locals_of(function)
        everywhere = loads(function)
        # The names of each statement, found while the tree is still the user's.
        self.names: dict[ast.AST, list[str]] = {}
        self.carried: dict[ast.AST, list[str]] = {}
        self.targets: dict[ast.AST, list[str]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.If):
                self.names[node] = written(node.body + node.orelse, local)
            elif isinstance(node, ast.While | ast.For):
                first = [node.target] if isinstance(node, ast.For) else []
                self.names[node] = written([*first, *node.body], local)
                self.targets[node] = written(first, local)
                inside = loads(node)
                self.carried[node] = [n for n in self.names[node] if everywhere.get(n, 0) > inside.get(n, 0)]

    def run(self) -> None:
        self.function.body = self._each(self.function.body)
        args = self.function.args
        parameters = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg) if a}
        outer = {name for n in self.function.body if isinstance(n, ast.Nonlocal) for name in n.names}
        declared = [name for name in self.rebound if name not in parameters | outer | self.globals]
        # An annotation alone makes a name local, and gives it no value.
        marks: list[ast.stmt] = [
            ast.AnnAssign(ast.Name(name, ast.Store()), make.constant("local"), None, simple=1) for name in declared
        ]
        head = 1 if ast.get_docstring(self.function) else 0
        self.function.body[head:head] = make.placed(marks, self.function.body[0])

    def _each(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for one in statements:
            found = self.visit(one)
            out += found if isinstance(found, list) else [found]
        return out

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    visit_ClassDef = visit_Lambda = visit_FunctionDef  # type: ignore[assignment]

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        names = self.names[node]
        node.body, node.orelse = self._each(node.body), self._each(node.orelse)
        n = self._number()
        true = self._function(f"_true_{n}", [], node.body, names)
        false = self._function(f"_false_{n}", [], node.orelse, names)
        get, put = self._state(n, names)
        run = make.call(
            "if_", node.test, make.name(true.name), make.name(false.name), make.texts(names), make.name(get.name),
            make.name(put.name),
        )  # fmt: skip
        return make.placed([true, false, get, put, ast.Expr(run)], node)

    def visit_While(self, node: Any) -> list[ast.stmt]:
        names = self.names[node]
        node.body = self._each(node.body)
        n = self._number()
        test = node.test
        if node.stop_flag is not None:
            test = make.call("and_", make.thunk(make.call("not_", make.name(node.stop_flag))), make.thunk(test))
        ask = self._function(f"_test_{n}", [], [ast.Return(test)], [])
        body = self._function(f"_body_{n}", [], node.body, names)
        get, put = self._state(n, names)
        run = make.call(
            "while_", make.name(ask.name), make.name(body.name), make.texts(names), make.name(get.name),
            make.name(put.name), make.texts(self.carried[node]),
        )  # fmt: skip
        return make.placed([ask, body, get, put, ast.Expr(run)], node)

    def visit_For(self, node: Any) -> list[ast.stmt]:
        names = self.names[node]
        node.body = self._each(node.body)
        n = self._number()
        item = f"_item_{n}"
        take = ast.Assign([node.target], make.name(item), lineno=0)
        body = self._function(f"_body_{n}", [item], [take, *node.body], names)
        get, put = self._state(n, names)
        stop = make.constant(None) if node.stop_flag is None else make.thunk(make.name(node.stop_flag))
        run = make.call(
            "for_", node.iter, make.name(body.name), make.texts(names), make.name(get.name), make.name(put.name),
            make.texts(self.carried[node]), stop, make.texts(self.targets[node]),
        )  # fmt: skip
        return make.placed([body, get, put, ast.Expr(run)], node)

    # -- pieces -------------------------------------------------------------------------------------------------

    def _number(self) -> int:
        self.count += 1
        return self.count

    def _function(self, name: str, args: list[str], body: list[ast.stmt], names: list[str]) -> ast.FunctionDef:
        made = make.function(name, args, [*self._scope(names), *(body or [ast.Pass()])])
        self.generated.append(made)
        return made

    def _scope(self, names: list[str]) -> list[ast.stmt]:
        """`nonlocal` (or `global`) for the names that a function sets."""
        plain = [name for name in names if "." not in name]
        ours, theirs = [n for n in plain if n not in self.globals], [n for n in plain if n in self.globals]
        self.rebound.update(dict.fromkeys(ours))
        return [*([ast.Nonlocal(ours)] if ours else []), *([ast.Global(theirs)] if theirs else [])]

    def _state(self, n: int, names: list[str]) -> tuple[ast.FunctionDef, ast.FunctionDef]:
        """Functions that read and set all the names."""
        thunks: list[ast.expr] = [make.thunk(make.name(name)) for name in names]
        get = self._function(f"_get_{n}", [], [ast.Return(make.call("values", *thunks))], [])
        given = [f"_value_{i}" for i in range(len(names))]
        body: list[ast.stmt] = [make.assign(name, make.name(v)) for name, v in zip(names, given, strict=True)]
        return get, self._function(f"_set_{n}", given, body, names)
