"""Switching the imperative mode on and off, and making variables for it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from refluid.core import mode, unique_name
from refluid.core.errors import ArgumentError, ModeError
from refluid.core.places import Place, device_of, place_of
from refluid.eager.complex_variable import ComplexVariable
from refluid.eager.tape import Tape
from refluid.eager.variable import VarBase
from refluid.ir.program import Program, program_guard
from refluid.ir.variable import Variable
from refluid.tensor.lod_tensor import LoDTensor, tensor_of

tape = Tape()


def enabled() -> bool:
    """Whether the imperative mode is on."""
    return mode.current is tape


in_dygraph_mode = enabled


def _current_expected_place() -> Place | None:
    """Where the imperative mode computes; None while it is off."""
    return place_of(tape.device) if enabled() else None


@contextlib.contextmanager
def guard(place: Place | None = None) -> Iterator[None]:
    """The imperative mode inside: operators run at once, on this place.

    Names count afresh, so that layers made alike in two guards have parameters of the same names, which is how
    optimizers find their saved state. Seeds that are set on the default programs inside hold inside.
    """
    old_device, old_recording = tape.device, tape.recording
    tape.device = device_of(place)
    tape.recording = True
    old = mode.switch(tape)
    try:
        with program_guard(Program(), Program()), unique_name.guard():
            yield
    finally:
        mode.switch(old)
        tape.device, tape.recording = old_device, old_recording


_enabled = contextlib.ExitStack()  # what enable_dygraph has entered


def enable_dygraph(place: Place | None = None) -> None:
    """Switch the imperative mode on until `disable_dygraph`."""
    _enabled.close()
    _enabled.enter_context(guard(place))


def until_disabled(context: contextlib.AbstractContextManager) -> None:
    """Enter a context that `disable_dygraph` leaves."""
    _enabled.enter_context(context)


def disable_dygraph() -> None:
    """Switch off what `enable_dygraph` switched on."""
    _enabled.close()


@contextlib.contextmanager
def recording(on: bool) -> Iterator[None]:
    """Calls inside are remembered for gradients, or not."""
    old = tape.recording
    tape.recording = on
    try:
        yield
    finally:
        tape.recording = old


@contextlib.contextmanager
def _switch_tracer_mode_guard_(is_train: bool = True) -> Iterator[None]:
    """`recording`, under the name that public programs import; nothing while the mode is off."""
    with recording(is_train) if enabled() else contextlib.nullcontext():
        yield


class no_grad:
    """Nothing is remembered inside: `with no_grad():`, `@no_grad` or `@no_grad()`."""

    def __new__(cls, func: Callable | None = None) -> Any:
        made = super().__new__(cls)
        return made if func is None else made(func)

    def __init__(self, func: Callable | None = None):
        self._contexts: list[Any] = []

    def __call__(self, func: Callable) -> Callable:
        if not callable(func):
            raise ArgumentError(f"no_grad: expected a function to decorate, got {type(func).__name__}")

        @functools.wraps(func)
        def without_gradients(*args: Any, **kwargs: Any) -> Any:
            with recording(False):
                return func(*args, **kwargs)

        return without_gradients

    def __enter__(self) -> None:
        context = recording(False)
        self._contexts.append(context)
        context.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._contexts.pop().__exit__(*error)


def to_variable(value: Any, name: str | None = None, zero_copy: bool | None = None, block: Any = None) -> Any:
    """A variable of the imperative mode with the value of a numpy array (copied), list, number or LoDTensor.

    That of complex numbers is a ComplexVariable.
    """
    if isinstance(value, VarBase | ComplexVariable):
        return value
    if not enabled():
        raise ArgumentError("to_variable: the imperative mode is off; call it inside fluid.dygraph.guard()")
    if isinstance(value, np.ndarray | np.generic | complex) and np.iscomplexobj(value):
        name = unique_name.generate("generated_var") if name is None else name
        array = np.asarray(value)
        return ComplexVariable(to_variable(array.real, f"{name}.real"), to_variable(array.imag, f"{name}.imag"))
    lod = None
    if isinstance(value, LoDTensor):
        t, lod = value.value().clone(), value.lod_value
    elif isinstance(value, np.ndarray | list | tuple | int | float | bool | np.generic):
        t = tensor_of(value, tape.device, copy=not zero_copy)
    elif isinstance(value, Variable):
        raise ModeError(
            f"to_variable: this is {value.name}, a variable of a static program, which has no value of its own; "
            "give what Executor.run(fetch_list=[...]) fetches of it"
        )
    else:
        raise ArgumentError(f"to_variable: expected a numpy array, a list or a number, got {type(value).__name__}")
    if t.dim() == 0:
        t = t.reshape(1)
    var = VarBase(t if t.device == tape.device else t.to(tape.device))
    if name is not None:
        var.name = name
    if lod is not None:
        var._take_lod(lod)
    return var
