"""assign, assign_value: a copy, and constants written into the program."""

from __future__ import annotations

import math

import torch

from refluid.core.dtypes import VarType, dtype_name, torch_dtype
from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.backward_ops import BackwardOp, Call, from_x_to_out
from refluid.ops.registry import DType, Long, Tensor, op
from refluid.tensor.selected_rows import SelectedRows


@op("Out", like="X")
def assign(X: Tensor) -> Tensor:
    """Out is a copy of X: a later update of one does not change the other."""
    if isinstance(X, torch.Tensor):
        return X.clone()
    if isinstance(X, SelectedRows):
        return SelectedRows.of(X.index.clone(), X.value.clone(), X.n_rows)
    return type(X)(X)  # an array of tensors: its elements are replaced, never written to


@assign.grad
def assign_grad(Out_grad: Tensor) -> Tensor:
    return Out_grad


@assign.gradient_ops
def _assigned_back(op: Call) -> list[BackwardOp]:
    return from_x_to_out(op, "assign")


@op("Out")
def assign_value(
    *,
    device: torch.device,
    shape: list[int],
    dtype: DType,
    bool_values: list[int] = [],
    fp32_values: list[float] = [],
    int32_values: list[int] = [],
    int64_values: list[Long] = [],
) -> Tensor:
    """Out holds the values of the list that belongs to dtype, in the given shape."""
    lists: dict[int, list] = {
        VarType.BOOL: bool_values,
        VarType.FP32: fp32_values,
        VarType.INT32: int32_values,
        VarType.INT64: int64_values,
    }
    values = lists.get(dtype)
    if values is None:
        raise ArgumentError(f"dtype must be bool, float32, int32 or int64, got {dtype_name(dtype)}")
    if len(values) != math.prod(shape):
        raise ShapeError(f"shape {list(shape)} takes {math.prod(shape)} values, got {len(values)}")
    return torch.tensor(values, dtype=torch_dtype(dtype), device=device).reshape(shape)
