"""Calls inside rewritten functions: the user's own functions are rewritten too, those of libraries are left alone."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core import mode
from refluid.eager.base import no_grad, recording, tape, to_variable
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.variable import Variable
from refluid.jit.errors import at_code
from refluid.jit.rewrite.function import rewritten
from refluid.jit.runtime.builtins import STAND_INS
from refluid.jit.runtime.joining import joining
from refluid.jit.runtime.promote import constant_array
from refluid.nn import container
from refluid.nn.layer import Layer

if TYPE_CHECKING:
    from refluid.ir.block import Block
    from refluid.layers.control_flow.nest import Structure

_DEEPEST = 50  # calls of a function inside itself, in branches inside branches of the program
_SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
_OURS = tuple(os.path.join(_SOURCES, name) + os.sep for name in ("refluid", "paddle"))
_LIBRARIES = frozenset({"numpy", "torch", "six", "scipy", *sys.stdlib_module_names})
_depths: dict[types.CodeType, int] = {}


def translated(function: types.FunctionType) -> types.FunctionType:
    """Marks a function inside a rewritten one: it has been rewritten with it."""
    function.__dict__["_is_translated"] = True
    return function


@mode.per_mode
def call(function: object) -> Any:
    """What to call in place of `function` while a program is built."""
    stand_in = STAND_INS.get(function) if function.__hash__ is not None else None
    if stand_in is not None:
        return stand_in
    if isinstance(function, types.FunctionType):
        return _function(function)
    if isinstance(function, types.MethodType):
        return _method(function)
    if isinstance(function, Layer):
        return functools.partial(_layer, function)
    if isinstance(function, functools.partial):
        return functools.partial(call(function.func), *function.args, **function.keywords)
    inner = getattr(function, "translates", None)  # a declarative function
    if isinstance(inner, types.FunctionType):
        return _function(inner)
    if isinstance(function, type | types.BuiltinFunctionType | Variable | VarBase):
        return function
    own = vars(type(function)).get("__call__")
    if isinstance(own, types.FunctionType) and not _is_library(own):
        return functools.partial(_function(own), function)
    return function


@call.imperative
def _itself(function: object) -> object:
    return function


def _function(function: types.FunctionType) -> Callable:
    if function is to_variable:
        return _to_variable
    if _is_ours(function) and (replacement := joining(function)) is not None:
        return replacement
    if function.__dict__.get("_is_translated") or function.__code__.co_name == "<lambda>":
        return function
    if function.__code__ is _NO_GRAD:
        return functools.partial(_without_gradients, function.__wrapped__)  # type: ignore[attr-defined]
    if _is_library(function) or inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        return function
    from refluid.jit import runtime

    return _bounded(rewritten(function, runtime))


def _method(method: types.MethodType) -> Callable:
    if method.__func__ is Variable.numpy:  # Fluid: inside a translated function a tensor stands for its value
        return lambda: method.__self__
    inner = getattr(method.__func__, "translates", method.__func__)
    if isinstance(method.__self__, Layer) and method.__name__ == "__call__":
        return functools.partial(_layer, method.__self__)
    if not isinstance(inner, types.FunctionType):
        return method
    return types.MethodType(_function(inner), method.__self__)


def _bounded(function: types.FunctionType) -> Callable:
    """The function, refused when it calls itself without end: both branches of a tensor condition are built."""
    code = function.__code__

    def run(*args: object, **kwargs: object) -> Any:
        depth = _depths.get(code, 0)
        if depth >= _DEEPEST and _nesting() >= _DEEPEST:
            raise at_code(
                f"{code.co_name} calls itself {_DEEPEST} times deep; a recursion that a tensor ends has no end while "
                "the program is built: make it a loop, or let a number of Python end it",
                code,
            )
        _depths[code] = depth + 1
        try:
            return function(*args, **kwargs)
        finally:
            _depths[code] = depth

    return run


def _nesting() -> int:
    """How many blocks the present one of the program lies in."""
    block, depth = programs.default_main_program().current_block(), 0
    while block.parent is not None:
        block, depth = block.parent, depth + 1
    return depth


def _layer(layer: Layer, *inputs: object, **kwargs: object) -> Structure:
    """Call a layer with its forward rewritten; parameters that wait for the first input are made imperatively."""
    if layer._awaits_inputs():
        with mode.using(tape()):
            layer._build_once(*inputs, **kwargs)
            layer._built = True
    own = layer.__dict__
    forward = call(layer.forward)
    if "forward" in own or getattr(forward, "__func__", None) is type(layer).forward:
        return layer(*inputs, **kwargs)
    own["forward"] = forward
    try:
        return layer(*inputs, **kwargs)
    finally:
        del own["forward"]


def _to_variable(
    value: object, name: str | None = None, zero_copy: bool | None = None, block: Block | None = None
) -> Structure:
    """to_variable: a tensor stays, everything else is written into the program."""
    if isinstance(value, Variable | VarBase):
        return value
    array = np.asarray(value)
    return constant_array(array.reshape(1) if array.ndim == 0 else array)


def _without_gradients(function: Callable, *args: object, **kwargs: object) -> Any:
    with recording(False):
        return call(function)(*args, **kwargs)


_NO_GRAD = no_grad()(lambda: None).__code__


def _is_ours(function: types.FunctionType) -> bool:
    return function.__code__.co_filename.startswith(_OURS)


def _is_library(function: types.FunctionType) -> bool:
    if _is_ours(function):
        return function.__module__ != container.__name__  # containers call layers of the user
    return (function.__globals__.get("__name__") or "").split(".")[0] in _LIBRARIES
