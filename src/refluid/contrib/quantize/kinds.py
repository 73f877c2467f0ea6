"""The ways to find the scale of a variable: which operator does it, and its states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

KINDS = ("abs_max", "range_abs_max", "moving_average_abs_max")
FIRST_SCALE = 0.001  # of a scale that is a state


@dataclass(frozen=True)
class State:
    """A variable that an operator changes in every run."""

    name: str  # as its own name begins
    source: str | None  # the slot that reads it; None where the operator reads what stands in its output
    target: str  # the slot that writes it
    size: int
    value: float  # in the beginning


def states(kind: str, window: int) -> list[State]:
    """What an operator of this kind remembers besides its scale."""
    if kind == "range_abs_max":
        return [State("scales", None, "OutScales", window, 0.0)]
    if kind == "moving_average_abs_max":
        return [State("state", "InState", "OutState", 1, 1.0), State("accum", "InAccum", "OutAccum", 1, 1.0)]
    return []


def attributes(kind: str, bits: int, window: int, rate: float, is_test: bool) -> dict[str, Any]:
    """The attributes of its operator."""
    if kind == "range_abs_max":
        return {"window_size": window, "bit_length": bits, "is_test": is_test}
    if kind == "moving_average_abs_max":
        return {"bit_length": bits, "moving_rate": rate, "is_test": is_test}
    return {"bit_length": bits}
