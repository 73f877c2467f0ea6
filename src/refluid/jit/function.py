"""declarative: a function that runs as a program."""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError
from refluid.core.mode import per_mode
from refluid.jit import runtime
from refluid.jit.concrete import Concrete
from refluid.jit.rewrite.function import rewritten
from refluid.jit.specs import Tensors, batch_sizes, loose
from refluid.nn.layer import Layer

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


class Switch:
    """Whether declarative functions run as programs; ProgramTranslator.enable sets it."""

    on = True
    last: Concrete | None = None  # the program that ran last


class Programs:
    """The programs of a function, by what calls look like."""

    def __init__(self) -> None:
        self.exact: dict[tuple, Concrete] = {}
        self.open: dict[tuple, Concrete] = {}  # programs that take any batch size, by loose key
        self.closed: set[tuple] = set()  # loose keys of calls that need a program for every batch size

    def find(self, function: types.FunctionType, call: Tensors) -> Concrete:
        """The program for a call.

        The first call of its kind gets a program for just its sizes. When another batch size comes, a program for any
        is made; a function that cannot be translated so (it does Python with the size) has one for every size.
        """
        concrete = self.exact.get(call.key)
        if concrete is not None:
            return concrete
        common = loose(call.key)
        concrete = self.open.get(common)
        if concrete is None:
            concrete = self._make(function, call, common)
        self.exact[call.key] = concrete
        return concrete

    def _make(self, function: types.FunctionType, call: Tensors, common: tuple) -> Concrete:
        alike = next((key for key in self.exact if loose(key) == common), None)
        if alike is not None and common not in self.closed:
            differ = [a != b for a, b in zip(batch_sizes(alike), batch_sizes(call.key), strict=True)]
            try:
                self.open[common] = Concrete(function, call, differ)
                return self.open[common]
            except Exception:  # whatever Python does with a size that it does not know; a real error comes again below
                self.closed.add(common)
        return Concrete(function, call, [False] * len(call.variables))


class Declarative:
    """A function that runs as a program in the imperative mode; a method too, where `self` is a layer."""

    def __init__(self, function: types.FunctionType):
        self.translates = function
        self._programs = Programs()
        self._of_layers: weakref.WeakKeyDictionary[Layer, Programs] = weakref.WeakKeyDictionary()
        functools.update_wrapper(self, function)

    def __get__(self, instance: object, owner: object = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        if not Switch.on:
            return self.translates(*args, **kwargs)
        return _call(self, args, kwargs)

    def programs_for(self, args: tuple) -> Programs:
        """The programs of a method belong to its layer and go when it goes."""
        if args and isinstance(args[0], Layer):
            programs = self._of_layers.get(args[0])
            if programs is None:
                programs = self._of_layers[args[0]] = Programs()
            return programs
        return self._programs

    def concrete(self, *args: object, **kwargs: object) -> Concrete:
        """The program that a call with these arguments would run."""
        return self.programs_for(args).find(self.translates, Tensors(args, kwargs))

    def __repr__(self) -> str:
        return f"<declarative function {self.translates.__qualname__}>"


@per_mode
def _call(function: Declarative, args: tuple, kwargs: dict[str, Any]) -> Structure:
    # The caller is building a program: this becomes part of it.
    return rewritten(function.translates, runtime)(*args, **kwargs)


@_call.imperative
def _run_as_program(function: Declarative, args: tuple, kwargs: dict[str, Any]) -> Structure:
    call = Tensors(args, kwargs)
    concrete = Switch.last = function.programs_for(args).find(function.translates, call)
    return concrete(call.variables)


@_call.tracing
def _run_as_it_is(function: Declarative, args: tuple, kwargs: dict[str, Any]) -> Any:
    # Its program would be one call, which cannot be recorded.
    return function.translates(*args, **kwargs)


def declarative(func: Callable | None = None) -> Any:
    """Run a function as a program: its Python source is translated, control flow over tensors included.

    The first call with arguments of a kind records a program; later ones run it, as one step of the imperative graph.
    Conditions that do not depend on tensors, attributes and globals are read while recording.

    Args:
        func: the function or method to decorate; None for `@declarative()`.

    Returns:
        The decorated function.

    Example of its use:
        class Net(fluid.dygraph.Layer):
            @declarative
            def forward(self, x):
                if fluid.layers.mean(x) > 0:
                    x = x - 1
                return x
    """
    if func is None:
        return declarative
    if isinstance(func, Declarative):
        return func
    if isinstance(func, types.MethodType):
        return types.MethodType(declarative(func.__func__), func.__self__)
    if not isinstance(func, types.FunctionType):
        raise ArgumentError(f"declarative: expected a function, got {type(func).__name__}")
    return Declarative(func)


def dygraph_to_static_func(func: Callable) -> Callable:
    """Translate a function, to be called while a program is built; in the imperative mode it runs as it is.

    Args:
        func: the function.

    Returns:
        The translated function.
    """
    inner = function_of(func)

    @functools.wraps(inner)
    def run(*args: object, **kwargs: object) -> Any:
        return _translate(inner, args, kwargs) if Switch.on else inner(*args, **kwargs)

    return run


@per_mode
def _translate(function: types.FunctionType, args: tuple, kwargs: dict[str, Any]) -> Any:
    return rewritten(function, runtime)(*args, **kwargs)


@_translate.imperative
def _leave(function: types.FunctionType, args: tuple, kwargs: dict[str, Any]) -> Any:
    return function(*args, **kwargs)


def function_of(func: object) -> types.FunctionType:
    """The Python function behind a declarative function or a method."""
    if isinstance(func, types.MethodType):
        func = func.__func__
    func = getattr(func, "translates", func)
    if not isinstance(func, types.FunctionType):
        raise ArgumentError(f"declarative: expected a function, got {type(func).__name__}: {func!r:.60}")
    return func
