"""The mode that runs an operator call: a recorder into a Program, or the imperative tape.

The mode is an object, not an `if`. What modes do differently are methods: operators go to `run`, functions
that are no operators by a rule for each (`per_mode`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from refluid.core.per_thread import PerThread

P = ParamSpec("P")
Q = ParamSpec("Q")  # of a rule: it may ask for the variables of its mode where the function takes those of both
R = TypeVar("R")


class Mode(Protocol):
    """What `refluid.layers`, `refluid.nn` and `refluid.optim` ask of a mode."""

    imperative: bool

    def append(self, call: tuple, insert: Callable[[], Any]) -> Any:
        """Append an operator by `insert`, or run it at once, if its variables are imperative.

        `call` are type, inputs, outputs, attributes and stop_gradient, as Block.append_op takes them.
        """
        ...

    def run(self, op: Any, inputs: tuple, attrs: dict[str, Any], outs: dict[str, Any] | None, name: Any) -> Any:
        """Run or record `op`. `inputs` are in the order of the op's input slots (None: absent, list: duplicable).

        `outs` gives variables to write to, by slot; `name` is the `LayerName` that new outputs are named after.
        Returns one variable, or a tuple in the order of the output slots.
        """
        ...

    def rule(self, function: PerMode) -> Callable:
        """What a function of both modes does in this one."""
        ...

    def accepts(self, var: object) -> bool:
        """Whether an imperative variable may be used; it may while a function is translated."""
        ...

    def overwritten(self, var: object) -> dict[str, Any] | None:
        """The output variables of a function that overwrites `var`: None for a new variable.

        Fluid's imperative mode always makes a new one: `var` may be a leaf whose gradient is asked for.
        """
        ...

    def remember(self, on: bool) -> None:
        """Record calls from now on for gradients, or not; a program is written whole either way."""
        ...

    def expose(self, var: object) -> None:
        """Python is about to read the value of an imperative variable; a trace refuses where that would be lost."""
        ...

    def warn_of_constant(self, message: str) -> None:
        """Python reads a value that becomes a constant of the function being translated: warn there."""
        ...

    def note_copy(self, copied: object, var: object) -> None:
        """`copied` has the value of an imperative variable and is outside of the graph."""
        ...

    def demand_program(self, error: Exception) -> None:
        """Raise `error` unless a program is being built."""
        ...

    def demand_imperative(self, error: Exception) -> None:
        """Raise `error` unless operators run at once."""
        ...


class PerMode(Protocol[P, R]):
    """A function with a rule for each mode."""

    recorded: Callable[..., Any]
    at_once: Callable[..., Any]
    traced: Callable[..., Any] | None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    @overload
    def __get__(self, instance: None, owner: type) -> PerMode[P, R]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Callable[..., R]: ...  # a method

    def of(self, var: object) -> Callable[..., R]:
        """The rule of the mode that a variable belongs to, whichever mode is on; of anything else that for programs."""
        ...

    def imperative(self, rule: Callable[Q, R]) -> Callable[Q, R]:
        """Decorator: what the imperative mode does."""
        ...

    def tracing(self, rule: Callable[Q, R]) -> Callable[Q, R]:
        """Decorator: what a trace does, where that is not what the imperative mode does."""
        ...


class _Any:
    """The answers of every mode but traces and translations."""

    def expose(self, var: object) -> None:
        pass

    def warn_of_constant(self, message: str) -> None:
        pass

    def note_copy(self, copied: object, var: object) -> None:
        pass

    def accepts(self, var: object) -> bool:
        return True

    def overwritten(self, var: object) -> dict[str, Any] | None:
        return None


class Recording(_Any):
    """The answers of modes that build a program."""

    imperative = False

    def append(self, call: tuple, insert: Callable[[], Any]) -> Any:
        return insert()

    def rule(self, function: PerMode) -> Callable:
        return function.recorded

    def remember(self, on: bool) -> None:
        pass

    def demand_program(self, error: Exception) -> None:
        pass

    def demand_imperative(self, error: Exception) -> None:
        raise error


class Immediate(_Any):
    """The answers of modes that run operators at once."""

    imperative = True

    def rule(self, function: PerMode) -> Callable:
        return function.at_once

    def demand_program(self, error: Exception) -> None:
        raise error

    def demand_imperative(self, error: Exception) -> None:
        pass


class _NoMode(Recording):
    def run(self, op: Any, *_: object) -> Any:
        raise RuntimeError(f"{op.type}: import refluid.ir (or paddle.fluid) before calling operators")


thread: PerThread[Mode] = PerThread("mode", _NoMode())
current = thread.get


def switch(new: Mode) -> Mode:
    """Make `new` the current mode and return the old one."""
    return thread.set(new)


def using(new: Mode) -> AbstractContextManager[Mode]:
    """`new` is the current mode inside."""
    return thread.holding(new)


def per_mode(recorded: Callable[P, R]) -> PerMode[P, R]:
    """Decorator of a function that is no operator but has a rule for each mode; the decorated one builds programs.

    Example:
        @per_mode
        def create_array(dtype):
            return declare(VarType.LOD_TENSOR_ARRAY, dtype)

        @create_array.imperative
        def _(dtype):
            return []
    """

    own = thread.own.get  # inlined current(), for the speed of calls

    @functools.wraps(recorded)
    def call(*args: object, **kwargs: object) -> Any:
        return (own() or thread.shared).rule(both)(*args, **kwargs)

    def of(var: object) -> Callable:
        return both.at_once if getattr(var, "is_imperative", False) else recorded

    def imperative(rule: Callable) -> Callable:
        both.at_once = rule
        return rule

    def tracing(rule: Callable) -> Callable:
        both.traced = rule
        return rule

    both: Any = call
    both.recorded, both.traced = recorded, None
    both.of, both.imperative, both.tracing = of, imperative, tracing
    return both
