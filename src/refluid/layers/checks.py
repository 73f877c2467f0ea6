"""Checks of the arguments of layers: each names what it refuses, as "fc: input", and what came instead."""

from __future__ import annotations

import contextlib
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core import mode
from refluid.core.callsite import site_rows
from refluid.core.errors import ArgumentError, ModeError
from refluid.ir.base_variable import BaseVariable

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from refluid.layers.control_flow.nest import Structure


def is_variable(value: object) -> TypeIs[BaseVariable]:
    """Whether it is a variable of either mode."""
    return isinstance(value, BaseVariable)


def need_variable(what: str, value: object) -> None:
    """Refuse what is no variable; `what` names the function and the argument: "fc: input"."""
    if is_variable(value):
        if value.is_imperative and not mode.current().accepts(value):
            raise ModeError(
                f"{what} is {value.name}, a variable of the imperative mode, but the call is recorded into a program; "
                "call it inside fluid.dygraph.guard(), or declare the input with fluid.data",
                site_rows("built"),
            )
    else:
        hint = "; wrap it with fluid.dygraph.to_variable" if hasattr(value, "__array__") else ""
        raise ArgumentError(f"{what} must be a Variable, got {type(value).__name__}{hint}", site_rows("called"))


def index(value: Any) -> int:
    """An int, from an int of Python or numpy or an array of one element."""
    return operator.index(value.item() if isinstance(value, np.ndarray) and value.size == 1 else value)


def ints(what: str, values: Any) -> list[int]:
    """A list of ints, from ints of Python or numpy or one-element variables of the imperative mode."""
    try:
        return [index(value) for value in values]
    except TypeError:
        raise ArgumentError(f"{what} must be a list of ints, got {values!r:.60}") from None


def truncated(values: object) -> Structure:
    """A list of sizes with floats, the results of divisions, truncated to ints, as Fluid does."""
    if not isinstance(values, list | tuple) or not any(isinstance(value, float) for value in values):
        return values
    return [int(value) if isinstance(value, float) else value for value in values]


def positive(what: str, value: object) -> int:
    """A size: a positive int, of Python or numpy."""
    try:
        size = index(value)
    except TypeError:
        size = 0
    if size <= 0:
        raise ArgumentError(f"{what} must be a positive int, got {value!r:.60}")
    return size


def number_or_text(what: str, value: object) -> float:
    """As `number`; Fluid takes the text of a number too, as a configuration file holds it."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = float(value)
    return number(what, value)


def number(what: str, value: Any) -> float:
    """A number as a float, from one of Python or numpy or a one-element variable of the imperative mode."""
    try:
        if not isinstance(value, str):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise ArgumentError(f"{what} must be a number, got {value!r:.60}")


def integer(what: str, value: object) -> int:
    """An integer as an int, from one of Python or numpy."""
    try:
        return index(value)
    except TypeError:
        raise ArgumentError(f"{what} must be an int, got {value!r:.60}") from None


def count(what: str, value: object) -> int:
    """An int of 0 or more, from one of Python or numpy."""
    size = integer(what, value)
    if size < 0:
        raise ArgumentError(f"{what} must be 0 or more, got {size}")
    return size


def axis_of(what: str, axis: object, rank: int) -> int:
    """An axis of a variable of this rank; negative counts from the end."""
    try:
        position = index(axis)
    except TypeError:
        position = rank
    if not -rank <= position < rank:
        raise ArgumentError(f"{what} must be an int in [{-rank}, {rank - 1}], got {axis!r:.60}")
    return position
