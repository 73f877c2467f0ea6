"""Switching the imperative mode on and off, and making variables for it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

import numpy as np

from refluid.core import mode, unique_name
from refluid.core.errors import ArgumentError, ModeError
from refluid.core.per_thread import PerThread
from refluid.core.places import Place, device_of, place_of
from refluid.eager.complex_variable import ComplexVariable
from refluid.eager.tape import Tape
from refluid.eager.variable import VarBase
from refluid.ir.block import Block
from refluid.ir.program import Program, program_guard
from refluid.ir.variable import Variable
from refluid.tensor.lod_tensor import LoDTensor, tensor_of

P = ParamSpec("P")
R = TypeVar("R")

_tapes: PerThread[Tape] = PerThread("tape", Tape())
tape = _tapes.get  # that of the guard around, or the one that variables outside of all guards have


def enabled() -> bool:
    """Whether the imperative mode is on.

    Returns:
        A bool.
    """
    return mode.current().imperative


in_dygraph_mode = enabled


@mode.per_mode
def _current_expected_place() -> Place | None:
    """Where the imperative mode computes; None while it is off."""
    return None


@_current_expected_place.imperative
def _place() -> Place | None:
    return place_of(tape().device)


@contextlib.contextmanager
def guard(place: Place | None = None) -> Iterator[None]:
    """Switch the imperative mode on inside a `with` block: operators run at once.

    Names count from 0 inside, so that layers made alike in two guards have parameters of the same names, which is how
    optimizers find their saved state. Seeds that are set on the default programs inside hold inside.

    Args:
        place: the place to compute on; the CPU if None.

    Yields:
        None.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.float32([3]))
        ...     x.stop_gradient = False
        ...     y = x * x
        ...     y.backward()
        ...     y.numpy().item(), x.gradient().item()
        (9.0, 6.0)
    """
    with on_tape(Tape(device_of(place), tape())), program_guard(Program(), Program()), unique_name.guard():
        yield


@contextlib.contextmanager
def on_tape(new: Tape) -> Iterator[None]:
    """The imperative mode inside, on this tape."""
    with _tapes.holding(new), mode.using(new):
        yield


_enabled = PerThread("enabled", contextlib.ExitStack())  # what enable_dygraph has entered


def enable_dygraph(place: Place | None = None) -> None:
    """Switch the imperative mode on until `disable_dygraph`.

    Args:
        place: the place to compute on; the CPU if None.

    Returns:
        None.
    """
    disable_dygraph()
    entered = contextlib.ExitStack()
    entered.enter_context(guard(place))
    _enabled.set(entered)


def until_disabled(context: contextlib.AbstractContextManager) -> None:
    """Enter a context that `disable_dygraph` leaves."""
    _enabled.get().enter_context(context)


def disable_dygraph() -> None:
    """Switch off what `enable_dygraph` switched on.

    Returns:
        None.
    """
    _enabled.get().close()


class recording(contextlib.ContextDecorator):
    """Calls inside are remembered for gradients, or not; other threads go on as they are."""

    __slots__ = ("_before", "_on", "_own", "_tape")

    def __init__(self, on: bool):
        self._on = on

    def _recreate_cm(self) -> recording:
        return recording(self._on)

    def __enter__(self) -> None:
        self._own = None if _tapes.is_own() else _for_this_thread(tape())
        self._tape = tape() if self._own is None else self._own.__enter__()
        self._before = self._tape.recording
        self._tape.remember(self._on)

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._tape.remember(self._before)
        if self._own is not None:
            self._own.__exit__(kind, error, trace)


@contextlib.contextmanager
def _for_this_thread(shared: Tape) -> Iterator[Tape]:
    """A tape of its own for a thread that uses that of the main thread."""
    own = Tape(shared.device, shared)
    switched = mode.using(own) if mode.current() is shared else contextlib.nullcontext()
    with _tapes.holding(own), switched:
        yield own


@contextlib.contextmanager
def zeros_where_stopped() -> Iterator[None]:
    """Inside, gradient() of what was stopped and took part is zeros, as 2.0-alpha has it."""
    here = tape()
    old, here.zeros_where_stopped = here.zeros_where_stopped, True
    try:
        yield
    finally:
        here.zeros_where_stopped = old


@mode.per_mode
def _switch_tracer_mode_guard_(is_train: bool = True) -> contextlib.AbstractContextManager[None]:
    """`recording`, under the name that public programs import; nothing while the mode is off."""
    return contextlib.nullcontext()


@_switch_tracer_mode_guard_.imperative
def _recording_guard(is_train: bool = True) -> contextlib.AbstractContextManager[None]:
    return recording(is_train)


class no_grad:
    """Nothing is recorded for gradients inside: `with no_grad():`, `@no_grad` or `@no_grad()`.

    Args:
        func: the function to decorate, for `@no_grad`.
    """

    def __new__(cls, func: Callable | None = None) -> Any:
        self = super().__new__(cls)
        return self if func is None else self(func)

    def __init__(self, func: Callable | None = None):
        self._contexts: list[Any] = []

    def __call__(self, func: Callable[P, R]) -> Callable[P, R]:
        if not callable(func):
            raise ArgumentError(f"no_grad: expected a function to decorate, got {type(func).__name__}")

        @functools.wraps(func)
        def without_gradients(*args: P.args, **kwargs: P.kwargs) -> R:
            with recording(False):
                return func(*args, **kwargs)

        return without_gradients

    def __enter__(self) -> None:
        context = recording(False)
        self._contexts.append(context)
        context.__enter__()

    def __exit__(self, *error: object) -> None:
        self._contexts.pop().__exit__(*error)


def to_variable(
    value: object, name: str | None = None, zero_copy: bool | None = None, block: Block | None = None
) -> Any:
    """Make a variable of the imperative mode from a value.

    Args:
        value: a numpy array, a list, a number or a LoDTensor; complex numbers give a ComplexVariable. A variable is
            returned as it is.
        zero_copy: share the memory of a numpy array instead of copying it.
        block: no effect.

    Returns:
        A VarBase.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([[1.0, 2.0]], "float32"))
        ...     (x + 1).numpy().tolist()
        [[2.0, 3.0]]
    """
    if isinstance(value, VarBase | ComplexVariable):
        return value
    mode.current().demand_imperative(
        ArgumentError("to_variable: the imperative mode is off; call it inside fluid.dygraph.guard()")
    )
    if isinstance(value, np.ndarray | np.generic | complex) and np.iscomplexobj(value):
        name = unique_name.generate("generated_var") if name is None else name
        array = np.asarray(value)
        return ComplexVariable(to_variable(array.real, f"{name}.real"), to_variable(array.imag, f"{name}.imag"))
    lod = None
    if isinstance(value, LoDTensor):
        t, lod = value.value().clone(), value.lod_value
    elif isinstance(value, np.ndarray | list | tuple | int | float | bool | np.generic):
        t = tensor_of(value, tape().device, copy=not zero_copy)
    elif isinstance(value, Variable):
        raise ModeError(
            f"to_variable: this is {value.name}, a variable of a static program, which has no value of its own; "
            "give what Executor.run(fetch_list=[...]) fetches of it"
        )
    else:
        raise ArgumentError(f"to_variable: expected a numpy array, a list or a number, got {type(value).__name__}")
    if t.dim() == 0:
        t = t.reshape(1)
    device = tape().device
    var = VarBase(t if t.device == device else t.to(device))
    if name is not None:
        var.name = name
    if lod is not None:
        var._take_lod(lod)
    return var
