"""Functions of dygraph_to_static's modules that have a counterpart here, under 1.8.5's names."""

from __future__ import annotations

import ast
import builtins
import logging
import textwrap
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from refluid.eager.kinds import Variable
from refluid.ir.desc import ProgramDesc
from refluid.ir.program import Program
from refluid.jit import runtime
from refluid.jit.function import function_of
from refluid.jit.rewrite.function import rewritten

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure

logger = logging.getLogger("fluid")


def convert_to_static(dyfunc: Callable) -> Callable:
    """The translated function, to be called while a program is built."""
    made = rewritten(function_of(dyfunc), runtime)
    return types.MethodType(made, dyfunc.__self__) if isinstance(dyfunc, types.MethodType) else made


def is_builtin(func: object) -> bool:
    """Whether this is a function or a class of Python itself."""
    return isinstance(func, types.BuiltinFunctionType) or func in vars(builtins).values()


def is_paddle_func(func: object) -> bool:
    """Whether a function is defined in `paddle`, or behind it."""
    return getattr(func, "__module__", "").partition(".")[0] in ("paddle", "refluid")


def ast_to_source_code(ast_node: ast.AST | str) -> str:
    """Python source from its tree."""
    return textwrap.dedent(ast_node) if isinstance(ast_node, str) else ast.unparse(ast_node) + "\n"


def create_program_from_desc(program_desc: ProgramDesc) -> Program:
    """The program behind a desc."""
    return program_desc.of


def extract_vars(inputs: Structure) -> list[Any]:
    """The variables in lists and tuples, one list of them."""
    if isinstance(inputs, Variable):
        return [inputs]
    return [var for one in inputs for var in extract_vars(one)] if isinstance(inputs, list | tuple) else []
