"""Expressions: and, or, not, chained comparisons, conditional expressions, calls, `.shape`, assert."""

from __future__ import annotations

import ast
from typing import Any

from refluid.jit.errors import at_node
from refluid.jit.rewrite import make

# They look at the frame that calls them, so nothing may stand between.
_OF_THE_FRAME = {"locals", "globals", "vars", "eval", "exec", "dir"}
_COMPARE = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in",
    ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip


class Expressions(ast.NodeTransformer):
    """Rewrites what is computed, not what is done when; functions inside are rewritten on their own."""

    def __init__(self, function: ast.FunctionDef, filename: str):
        self.function, self.filename = function, filename
        first = [*function.args.posonlyargs, *function.args.args]
        self.first = first[0].arg if first else None
        self.conditions: set[ast.AST] = set()  # expressions of which the truth alone is asked

    def run(self) -> None:
        self.function.body = [self.visit(statement) for statement in self.function.body]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def _refuse(self, node: ast.AST, reason: str) -> Exception:
        return at_node(reason, node, self.filename, self.function.name)

    def visit_Yield(self, node: ast.AST) -> ast.AST:
        raise self._refuse(node, "a generator (yield) cannot be part of a program; collect the values in a list")

    visit_YieldFrom = visit_Yield

    def visit_Await(self, node: ast.AST) -> ast.AST:
        raise self._refuse(node, "await cannot be part of a program")

    visit_AsyncFor = visit_AsyncWith = visit_Await

    def visit_AsyncFunctionDef(self, node: ast.AST) -> ast.AST:
        return node  # Python's alone, like a generator

    def _thunk(self, node: ast.expr) -> ast.Lambda:
        for part in ast.walk(node):
            if isinstance(part, ast.NamedExpr):
                raise self._refuse(
                    part, "`:=` inside `and`, `or`, `if ... else` or a chained comparison; assign before"
                )
        return make.thunk(node)

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            self.conditions.add(node.test)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.conditions.add(node.operand)
        elif isinstance(node, ast.BoolOp) and node in self.conditions:
            self.conditions.update(node.values)
        return super().visit(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        """`while (y := f(x)) > 0:` becomes a loop that is left: the name belongs to the iteration."""
        self.generic_visit(node)
        if any(isinstance(part, ast.NamedExpr) for part in ast.walk(node.test)):
            if node.orelse:
                raise self._refuse(node, "`:=` in the condition of a `while` with `else`; assign before")
            leave = ast.If(make.call("not_", node.test), [ast.Break()], [])
            node.body = [*make.placed([leave], node), *node.body]
            node.test = ast.copy_location(ast.Constant(True), node.test)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        helper = ("and" if isinstance(node.op, ast.And) else "or") + ("_" if node in self.conditions else "_value")
        return ast.copy_location(make.call(helper, *[self._thunk(value) for value in node.values]), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(make.call("not_", node.operand), node) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        chosen = make.call("choose", node.test, self._thunk(node.body), self._thunk(node.orelse))
        return ast.copy_location(chosen, node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            test = make.call("contains", node.left, node.comparators[0])
            return ast.copy_location(make.call("not_", test) if isinstance(node.ops[0], ast.NotIn) else test, node)
        if len(node.ops) == 1:
            return node
        signs = make.texts(_COMPARE[type(op)] for op in node.ops)
        later = [self._thunk(value) for value in node.comparators]
        return ast.copy_location(make.call("compare", node.left, signs, *later), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name):
            if node.func.id in _OF_THE_FRAME:
                return node
            if node.func.id == "super":
                if not node.args and self.first:  # the call may end up in a function of its own, which has no `self`
                    node.args = [make.name("__class__"), make.name(self.first)]
                return node
        node.func = ast.copy_location(make.call("call", node.func), node.func)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr == "shape" and isinstance(node.ctx, ast.Load):
            return ast.copy_location(make.call("shape", node.value), node)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.iter = ast.copy_location(make.call("listed", node.iter), node.iter)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """`y: float = x` inside a branch: a name that is not local there cannot be annotated."""
        self.generic_visit(node)
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        self.generic_visit(node)
        if node.exc is not None:
            node.exc = ast.copy_location(make.call("raised", node.exc), node.exc)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        message = self._thunk(node.msg or make.constant(None))
        return ast.copy_location(ast.Expr(make.call("assert_", node.test, message)), node)
