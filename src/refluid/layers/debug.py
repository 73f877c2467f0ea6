"""Print, Assert and py_func: looking into a program while it runs, and Python inside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.common import as_list
from refluid.layers.numbers import is_variable
from refluid.ops.io.assert_ import assert_ as assert_op
from refluid.ops.io.print import PHASES, FirstN, print_
from refluid.ops.io.py_func import py_func as py_func_op, register


def Print(
    input: Any,
    first_n: int = -1,
    message: str | None = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_tensor_type: bool = True,
    print_tensor_shape: bool = True,
    print_tensor_lod: bool = True,
    print_phase: str = "both",
) -> Any:
    """Print a variable every time it is computed, and its gradient.

    Args:
        first_n: only the first so many times; -1: always.
        message: what stands before it.
        summarize: how many elements are shown; -1: all.
        print_phase: "forward" (the value), "backward" (the gradient) or "both".
    Returns:
        The same values; it is printed only if the program uses this result or nothing is fetched in place of it.
    """
    if not is_variable(input):
        raise ArgumentError(f"Print: input must be a Variable, got {type(input).__name__}")
    if print_phase not in PHASES:
        raise ArgumentError(f"Print: print_phase must be 'forward', 'backward' or 'both', got {print_phase!r}")
    return print_(
        input, name=LayerName(f"print_{input.name}"), first_n=FirstN(first_n, input.name), message=message or "",
        summarize=summarize, print_tensor_name=print_tensor_name, print_tensor_type=print_tensor_type,
        print_tensor_shape=print_tensor_shape, print_tensor_lod=print_tensor_lod, print_phase=print_phase.upper(),
    )  # fmt: skip


def Assert(cond: Any, data: Any = None, summarize: int = 20, name: str | None = None) -> None:
    """Fail when the program comes here and the condition does not hold (2.0-alpha).

    Args:
        cond: a bool variable of one element.
        data: variables that the error shows, a list.
        summarize: how many elements of each; -1: all.
    """
    if not is_variable(cond):
        raise ArgumentError(f"Assert: cond must be a Variable, got {type(cond).__name__}")
    layer = LayerName(f"assert_{cond.name}", name)
    assert_op(cond, None if data is None else as_list(data), name=layer, summarize=summarize)


def py_func(
    func: Callable,
    x: Any,
    out: Any,
    backward_func: Callable | None = None,
    skip_vars_in_backward_input: Any = None,
) -> Any:
    """Call a Python function as part of a program.

    Args:
        func: is called with x as LoDTensors and returns arrays or LoDTensors, as many as out has.
        x: a variable or a list of them.
        out: the variable or variables that take the results; their shapes and dtypes are declared by whoever made them.
        backward_func: is called with x, out and the gradients of out and returns the gradients of x (None: zeros).
            Without it no gradient goes through.
        skip_vars_in_backward_input: the variables among x and out that backward_func does not ask for.
    Returns:
        out.
    """
    for what, function in (("func", func), ("backward_func", backward_func)):
        if not callable(function) and not (function is None and what == "backward_func"):
            raise ArgumentError(f"py_func: {what} must be a function, got {type(function).__name__}")
    ins = [] if x is None else as_list(x)
    outs = [] if out is None else as_list(out)
    for var in (*ins, *outs):
        if not is_variable(var):
            raise ArgumentError(f"py_func: x and out must hold Variables, got {type(var).__name__}")
    skipped = [] if skip_vars_in_backward_input is None else as_list(skip_vars_in_backward_input)
    names = {var.name for var in skipped}
    strange = names - {var.name for var in (*ins, *outs)}
    if strange:
        raise ArgumentError(f"py_func: skip_vars_in_backward_input has {strange.pop()!r}, which is not in x or out")
    attrs: dict[str, Any] = {"forward_callable_id": register(func, len(outs)), "backward_skip_vars": sorted(names)}
    if backward_func is not None:
        keep = [var.name not in names for var in (*ins, *outs)]
        attrs["backward_callable_id"] = register(backward_func, len(ins), keep)
    py_func_op(ins, outs={"Out": outs}, **attrs)
    return out
