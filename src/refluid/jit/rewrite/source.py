"""A function's source as a tree, and a tree as a function with the same closure."""

from __future__ import annotations

import ast
import inspect
import re
import types
from types import ModuleType

from refluid.jit.errors import at_code

RUNTIME = "_jst"  # what rewritten code calls the runtime
_INSIDE = "_definition"
_NO_DEF = "only functions defined with `def` can be translated"
_BLOCK = re.compile(r"_(true|false|test|body)_\d+$")


def parse(function: types.FunctionType) -> ast.FunctionDef:
    """The definition of a function, with the line and column numbers of its file."""
    code = function.__code__
    try:
        if code.co_filename == "<string>":  # Python 3.13 takes the text of `python -c` for that of every exec
            raise OSError
        lines, first = inspect.getsourcelines(code)
    except (OSError, TypeError):
        raise at_code("the source cannot be read; define the function in a file", code) from None
    text = "".join(lines)
    indented = lines[0][:1].isspace()
    try:
        tree = ast.parse(f"if True:\n{text}" if indented else text)
    except SyntaxError:  # a lambda that stands in the middle of something else
        raise at_code(_NO_DEF, code) from None
    ast.increment_lineno(tree, first - (2 if indented else 1))
    body: list[ast.stmt] = tree.body[0].body if indented else tree.body  # type: ignore[attr-defined]
    definition = body[0]
    if isinstance(definition, ast.AsyncFunctionDef):
        raise at_code("an async function cannot be part of a program", code)
    if not isinstance(definition, ast.FunctionDef):
        raise at_code(_NO_DEF, code)
    path = function.__qualname__.split(".")
    if len(path) > 1 and path[-2] != "<locals>":
        _Private(path[-2]).visit(definition)
    return definition


def build(definition: ast.FunctionDef, like: types.FunctionType, runtime: ModuleType) -> types.FunctionType:
    """The rewritten definition as a function. It shares the closure, globals and defaults of the one it stands for."""
    free = like.__code__.co_freevars
    names = [RUNTIME, *free]
    # Under its own name it would hide a global of that name, which it may call.
    inside = ast.copy_location(new_function(_INSIDE, definition.args, definition.body), definition)
    factory = new_function("factory", parameters(names), [inside, ast.Return(ast.Name(_INSIDE, ast.Load()))])
    module = ast.Module([factory], [])
    ast.fix_missing_locations(ast.copy_location(factory, definition))
    filename = like.__code__.co_filename
    code = compile(module, filename, "exec", dont_inherit=True, flags=_future_flags(like.__code__))
    outer = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    inner = next(c for c in outer.co_consts if isinstance(c, types.CodeType) and c.co_name == _INSIDE)
    inner = _under_one_name(inner, like.__name__)
    cells = dict(zip(free, like.__closure__ or (), strict=True))
    cells[RUNTIME] = types.CellType(runtime)
    function = types.FunctionType(
        inner, like.__globals__, like.__name__, like.__defaults__, tuple(cells[name] for name in inner.co_freevars)
    )
    function.__kwdefaults__ = like.__kwdefaults__
    function.__qualname__ = like.__qualname__
    return function


def _under_one_name(code: types.CodeType, name: str) -> types.CodeType:
    """Blocks that have become functions are told as parts of their function in tracebacks and errors."""
    consts = tuple(
        _under_one_name(const, name) if isinstance(const, types.CodeType) and _BLOCK.match(const.co_name) else const
        for const in code.co_consts
    )
    return code.replace(co_name=name, co_consts=consts)


def new_function(name: str, args: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    made = ast.FunctionDef(name, args, body, [], None)
    made.type_params = []  # type: ignore[attr-defined]  # Python 3.12 misses it otherwise
    return made


def parameters(names: list[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])


class _Private(ast.NodeTransformer):
    """`self.__x` is `self._Net__x` inside a class; the function is compiled outside it."""

    def __init__(self, cls: str):
        self.prefix = f"_{cls.lstrip('_')}"

    def _name(self, name: str) -> str:
        return f"{self.prefix}{name}" if name.startswith("__") and not name.endswith("__") else name

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._name(node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        node.attr = self._name(node.attr)
        return node


def _future_flags(code: types.CodeType) -> int:
    """`from __future__ import annotations` and the like, as the function's own file has them."""
    import __future__

    known = (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
    return sum(flag for flag in set(known) if code.co_flags & flag)
