"""tensor_array_to_tensor: the elements of an array as one tensor."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.infer import Spec
from refluid.ops.registry import Tensor, op
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.tensor_array import LoDTensorArray


@op("Out OutIndex", lod=None, nograd="OutIndex")
def tensor_array_to_tensor(X: Tensor, *, axis: int = 0, use_stack: bool = False) -> tuple[Tensor, Tensor]:
    """Out joins the elements along axis; OutIndex is the size of each along it."""
    parts = [entry.t for entry in X]
    if not parts:
        raise ValueRangeError("the array has no elements")
    for position, part in enumerate(parts):
        if part is None:
            raise ValueRangeError(f"nothing has been written to element {position} of the array")
    first = parts[0]
    for position, part in enumerate(parts):
        if part.dim() != first.dim():
            raise ShapeError(f"element 0 has shape {list(first.shape)}, but element {position} {list(part.shape)}")
    lengths = [1 if use_stack else part.shape[axis] for part in parts]
    joined = torch.stack(parts, axis) if use_stack else torch.cat(parts, axis)
    return joined, torch.tensor(lengths, dtype=torch.int32)


@tensor_array_to_tensor.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    shape = list(inputs[0].shape)
    axis, stacked = attrs.get("axis", 0), attrs.get("use_stack", False)
    rank = len(shape) + (1 if stacked else 0)
    if not -rank <= axis < rank:
        raise ShapeError(f"axis must be {-rank} to {rank - 1} for elements of shape {shape}, got {axis}")
    if stacked:
        shape.insert(axis % rank, -1)
    elif shape:
        shape[axis] = -1
    return [Spec(tuple(shape), inputs[0].dtype), Spec((-1,), torch.int32)]


@tensor_array_to_tensor.grad
def tensor_array_to_tensor_grad(
    X: Tensor, OutIndex: Tensor, Out_grad: Tensor, *, axis: int, use_stack: bool
) -> LoDTensorArray:
    parts = torch.unbind(Out_grad, axis) if use_stack else torch.split(Out_grad, OutIndex.tolist(), axis)
    return LoDTensorArray(LoDTensor.of(part) for part in parts)
