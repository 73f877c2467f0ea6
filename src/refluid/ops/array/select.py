"""select_input, select_output: one of several variables, by a number."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ValueRangeError
from refluid.ops.array.array import element
from refluid.ops.registry import INDICES, LoD, Tensor, op


@op("Out", dtypes={"Mask": INDICES}, nograd="*")
def select_input(X: list[Tensor], Mask: Tensor) -> Tensor:
    """Out is X[Mask]."""
    return X[_position(Mask, len(X))]


@select_input.infer
def _infer_input(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [inputs[0][-1]]


@select_input.lods
def _lod_of_chosen(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    return [ins[0][_position(values[1], len(values[0]))]]


@op("Out", dtypes={"Mask": INDICES}, duplicable="Out", nograd="*")
def select_output(X: Tensor, Mask: Tensor) -> list[Tensor | None]:
    """Out[Mask] is X; the other one is not there."""
    return [None, X] if _position(Mask, 2) else [X, None]


@select_output.infer
def _infer_output(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [[inputs[0]] * 2]


def _position(Mask: Tensor, count: int) -> int:
    position = element(Mask, "Mask")
    if not 0 <= position < count:
        raise ValueRangeError(f"Mask must be 0 to {count - 1}, got {position}")
    return position
