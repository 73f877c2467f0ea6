"""A whole function, rewritten: the order of the transformers, and what is kept of their work."""

from __future__ import annotations

import ast
import types
import weakref
from types import ModuleType

from refluid.jit.rewrite import make
from refluid.jit.rewrite.control_flow import ControlFlow
from refluid.jit.rewrite.expressions import Expressions
from refluid.jit.rewrite.jumps import Jumps
from refluid.jit.rewrite.returns import Returns, has
from refluid.jit.rewrite.source import build, parse

_trees: weakref.WeakKeyDictionary[types.CodeType, ast.FunctionDef] = weakref.WeakKeyDictionary()
_functions: weakref.WeakKeyDictionary[types.FunctionType, types.FunctionType] = weakref.WeakKeyDictionary()


def rewritten_tree(function: types.FunctionType) -> ast.FunctionDef:
    """The definition with all control flow handed to the runtime."""
    code = function.__code__
    tree = _trees.get(code)
    if tree is None:
        tree = parse(function)
        tree.decorator_list = []
        _rewrite(tree, code.co_filename)
        tree.returns = None
        _trees[code] = tree
    return tree


def rewritten(function: types.FunctionType, runtime: ModuleType) -> types.FunctionType:
    """The function that builds a program where `function` would compute."""
    found = _functions.get(function)
    if found is None:
        found = _functions[function] = build(rewritten_tree(function), function, runtime)
    return found


def readable(function: types.FunctionType) -> str:
    """The rewritten source as text."""
    return ast.unparse(rewritten_tree(function)) + "\n"


def _rewrite(definition: ast.FunctionDef, filename: str) -> None:
    Expressions(definition, filename).run()
    Returns(definition).run()
    Jumps().run(definition)
    flow = ControlFlow(definition)
    flow.run()
    _plain_parameters(definition)
    ours = {id(made) for made in flow.generated}
    for inner in _functions_inside(definition, ours):
        _rewrite(inner, filename)
        inner.decorator_list.append(ast.copy_location(make.name("_jst.translated"), inner))
    ast.fix_missing_locations(definition)


def _plain_parameters(definition: ast.FunctionDef) -> None:
    """Annotations need names that may not be there where the function is compiled again."""
    args = definition.args
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
        if arg is not None:
            arg.annotation = None


def _functions_inside(definition: ast.FunctionDef, ours: set[int]) -> list[ast.FunctionDef]:
    """The user's functions inside, those inside them left out."""
    functions: list[ast.FunctionDef] = []
    stack: list[ast.AST] = list(definition.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef) and id(node) not in ours:
            if not has(node.body, (ast.Yield, ast.YieldFrom)):  # a generator is Python's alone
                functions.append(node)
        elif not isinstance(node, ast.ClassDef):
            stack += ast.iter_child_nodes(node)
    return functions
