"""write_to_array, read_from_array, lod_array_length: arrays of tensors.

An array is the only value that operators change in place. Its gradient is an array too, and the
backward pass follows these rules: a read *adds* the gradient of what it has read to the element's, and a write
*takes* the element's gradient out, because what stood there before the write has no part in what was read after it.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.backward_ops import BackwardOp, Call, from_x_to_out
from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, LoD, Tensor, op
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.tensor_array import LoDTensorArray


@op("Out", lod=None, inplace={"Out": "Array"}, dtypes={"I": INDICES}, nograd="*", views="X")
def write_to_array(X: Tensor, X_lod: LoD | None, I: Tensor, Array: Any | None = None) -> LoDTensorArray:
    """The element I of the array becomes X; the array grows as needed.

    Programs name the array as the output alone; the engine hands over what it holds so far.
    """
    array = LoDTensorArray() if Array is None else Array
    position = element(I)
    if position < 0:
        raise ValueRangeError(f"I must not be negative, got {position}")
    while len(array) <= position:
        array.append(LoDTensor())
    array[position] = LoDTensor.of(X, X_lod)
    return array


@write_to_array.infer
def _infer_write(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    _check_index(inputs[1])
    return [inputs[0]]  # an array is declared with the shape and dtype of an element


@op("Out", dtypes={"I": INDICES}, nograd="*", makes_lod=True, views="X")
def read_from_array(X: Any, I: Tensor, X_W: Tensor | None = None) -> Tensor:
    """Out is the element I of the array X. If nothing was written there, it is zeros like X_W."""
    position = element(I)
    value = X[position].t if 0 <= position < len(X) else None
    if value is not None:
        return value
    if X_W is not None:
        return torch.zeros_like(X_W)
    raise ValueRangeError(f"I is {position}, but the array has {len(X)} elements" if not 0 <= position < len(X)
                          else f"I is {position}, where nothing has been written")  # fmt: skip


@read_from_array.infer
def _infer_read(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    _check_index(inputs[1])
    return [inputs[0]]


@read_from_array.lods
def _lods_of_element(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    array, position = values[0], element(values[1])
    return [array[position].lod_value if 0 <= position < len(array) else None]


@op("Out", lod=None, nograd="*")
def lod_array_length(X: Tensor) -> Tensor:
    """Out, int64 [1], is how many elements the array has."""
    return torch.tensor([len(X)])


@lod_array_length.infer
def _infer_length(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [Spec((1,), torch.int64)]


def element(I: Tensor, slot: str = "I") -> int:
    """The index in a tensor of one element."""
    if I.numel() != 1:
        raise ShapeError(f"{slot} must have one element, got shape {list(I.shape)}")
    return int(I.item())


def _check_index(spec: Spec) -> None:
    if math.prod(spec.shape) not in (1, -1):
        raise ShapeError(f"I must have one element, got the shape {list(spec.shape)}")


# -- the same two in a backward pass ------------------------------------------------------------------------------


@write_to_array.gradient_ops
def _read_back(op: Call) -> list[BackwardOp]:
    return from_x_to_out(op, "read_from_array", I=op.input("I"), X_W=op.input("X"))


@read_from_array.gradient_ops
def _written_back(op: Call) -> list[BackwardOp]:
    return from_x_to_out(op, "write_to_array", I=op.input("I"))


@write_to_array.in_backward("Out", lod=None, inplace={"Out": "Array"}, views="X")
def add_to_array(X: Tensor | None, X_lod: LoD | None, I: Tensor, Array: Any) -> LoDTensorArray:
    """The gradient of a read: X is added to element I."""
    position = element(I)
    while len(Array) <= position:
        Array.append(LoDTensor())
    if X is not None:
        before = Array[position].t
        Array[position] = LoDTensor.of(X if before is None else before + X, X_lod)
    return Array


@read_from_array.in_backward("Out Array", lod="X_W", inplace={"Array": "X"}, hidden="Array", views="X")
def take_from_array(X: Any, I: Tensor, X_W: Tensor) -> tuple[Tensor, LoDTensorArray]:
    """The gradient of a write: element I is taken out, zeros if there is none."""
    position = element(I)
    value = X[position].t if position < len(X) else None
    if value is None:
        return torch.zeros_like(X_W), X
    X[position] = LoDTensor()
    return value, X
