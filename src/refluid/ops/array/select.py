"""select_input, select_output: one of several variables, by a number."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ValueRangeError
from refluid.ops.array.array import element
from refluid.ops.backward_ops import BackwardOp, Call
from refluid.ops.registry import INDICES, LoD, Tensor, op


@op("Out", dtypes={"Mask": INDICES}, nograd="*", views="X")
def select_input(X: list[Tensor], Mask: Tensor) -> Tensor:
    """Out is X[Mask]."""
    return X[position_in(Mask, len(X))]


@select_input.infer
def _infer_input(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [inputs[0][-1]]


@select_input.lods
def _lod_of_chosen(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    return [ins[0][position_in(values[1], len(values[0]))]]


@op("Out", dtypes={"Mask": INDICES}, duplicable="Out", nograd="*")
def select_output(X: Tensor, Mask: Tensor) -> list[Tensor | None]:
    """Out[Mask] becomes X; the others stay as they are. Plans write it inline (executor/blocks/select.py)."""
    raise NotImplementedError("select_output runs as part of a program")


@select_output.infer
def _infer_output(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [None]  # what is written is declared before


@select_input.gradient_ops
def _selected_output(op: Call) -> list[BackwardOp]:
    return [_selected_back(op, "select_output")]


@select_output.gradient_ops
def _selected_input(op: Call) -> list[BackwardOp]:
    return [_selected_back(op, "select_input")]


def _selected_back(op: Call, type: str) -> BackwardOp:
    inputs = {"Mask": op.input("Mask")}
    return BackwardOp(type, {"X": op.output("Out")}, {"Out": op.input("X")}, {}, inputs, optional=True)


def position_in(Mask: Tensor, count: int) -> int:
    position = element(Mask, "Mask")
    if not 0 <= position < count:
        raise ValueRangeError(f"Mask must be 0 to {count - 1}, got {position}")
    return position
