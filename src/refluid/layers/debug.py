"""Print, Assert and py_func: printing and checking values while a program runs, and Python functions inside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable
from refluid.layers.common import as_list
from refluid.ops.io.assert_ import assert_ as assert_op
from refluid.ops.io.print import PHASES, FirstN, print_
from refluid.ops.io.py_func import py_func as py_func_op, register

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


def Print(
    input: BaseVariable,
    first_n: int = -1,
    message: str | None = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_tensor_type: bool = True,
    print_tensor_shape: bool = True,
    print_tensor_lod: bool = True,
    print_phase: str = "both",
) -> BaseVariable:
    """Print a variable every time it is computed, and its gradient.

    Args:
        input: a variable of any dtype and shape.
        first_n: print only the first so many times; -1 for always.
        message: text before the values.
        summarize: the number of printed elements; -1 for all.
        print_tensor_name: print its name.
        print_tensor_type: print its dtype.
        print_tensor_shape: print its shape.
        print_tensor_lod: print its LoD.
        print_phase: "forward" (the value), "backward" (the gradient) or "both".

    Returns:
        A variable with the values of input; they are printed if the program reads this variable, or if nothing else is
        fetched.
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


def Assert(
    cond: BaseVariable, data: Sequence[BaseVariable] | None = None, summarize: int = 20, name: str | None = None
) -> None:
    """Raise an error if a condition does not hold when the program runs (2.0-alpha).

    Args:
        cond: a bool variable of one element.
        data: variables of any dtype and shape, whose values the error shows; None for none.
        summarize: the number of elements of each that are shown; -1 for all.

    Returns:
        None.
    """
    if not is_variable(cond):
        raise ArgumentError(f"Assert: cond must be a Variable, got {type(cond).__name__}")
    layer = LayerName(f"assert_{cond.name}", name)
    assert_op(cond, None if data is None else as_list(data), name=layer, summarize=summarize)


def py_func(
    func: Callable,
    x: BaseVariable | Sequence[BaseVariable] | None,
    out: BaseVariable | Sequence[BaseVariable] | None,
    backward_func: Callable | None = None,
    skip_vars_in_backward_input: BaseVariable | Sequence[BaseVariable] | None = None,
) -> Structure:
    """Call a Python function as part of a program.

    Args:
        func: called with x as LoDTensors; it returns arrays or LoDTensors, as many as out has.
        x: the inputs, a variable of any dtype and shape or a list of them.
        out: the variable or variables that take the results; made beforehand with their shapes and dtypes.
        backward_func: called with x, out and the gradients of out; it returns the gradients of x, None for zeros.
            Without it no gradient flows through.
        skip_vars_in_backward_input: the variables of x and out that backward_func does not take.

    Returns:
        out.

    Example:
        >>> x = fluid.data("x", [None, 2])
        >>> out = fluid.default_main_program().current_block().create_var(name="out", shape=[-1, 2], dtype="float32")
        >>> _ = fluid.layers.py_func(lambda x: np.array(x) + 1, x, out)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> exe.run(feed={"x": np.zeros([1, 2], "float32")}, fetch_list=[out])[0].tolist()
        [[1.0, 1.0]]
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
    unknown = names - {var.name for var in (*ins, *outs)}
    if unknown:
        raise ArgumentError(f"py_func: skip_vars_in_backward_input has {unknown.pop()!r}, which is not in x or out")
    attrs: dict[str, Any] = {"forward_callable_id": register(func, len(outs)), "backward_skip_vars": sorted(names)}
    if backward_func is not None:
        keep = [var.name not in names for var in (*ins, *outs)]
        attrs["backward_callable_id"] = register(backward_func, len(ins), keep)
    py_func_op(ins, outs={"Out": outs}, **attrs)
    return out
