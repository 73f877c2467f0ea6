"""sum: the sum of several tensors, such as the gradients of a variable that is read several times."""

from __future__ import annotations

from functools import reduce
from itertools import zip_longest
from typing import Any, cast

import torch

from refluid.core.dtypes import TORCH_NAME
from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.backward_ops import BackwardOp, Call, scaled_back
from refluid.ops.infer import Spec
from refluid.ops.pointwise import Code, NoCode, Operand
from refluid.ops.registry import NUMBERS, Shape, Tensor, op
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.selected_rows import SelectedRows, add_all, to_dense
from refluid.tensor.tensor_array import LoDTensorArray


@op("Out", dtypes={"X": NUMBERS}, grad_hints="use_mkldnn", views="X")
def sum(X: list[Tensor]) -> Tensor:
    """Out = X[0] + X[1] + ... SelectedRows alone stay SelectedRows; beside a dense tensor they become dense.

    Arrays are added element by element; missing elements count as zeros.
    """
    if type(X[0]) is LoDTensorArray:
        return cast(Tensor, _added_arrays(X))
    if len(X) == 2 and type(X[0]) is not SelectedRows and type(X[1]) is not SelectedRows:
        check_same_shapes(X)
        return torch.add(X[0], X[1])
    sparse = [cast(SelectedRows, x) for x in X if type(x) is SelectedRows]
    if not sparse:
        check_same_shapes(X)
        return added(X)
    rows = add_all(sparse)
    dense = [x for x in X if type(x) is not SelectedRows]
    if not dense:
        return cast(Tensor, rows)
    whole = [*dense, to_dense(rows)]
    check_same_shapes(whole)
    return added(whole)


@sum.pointwise
def _(code: Code, X: list[Operand]) -> Operand:
    if len(X) < 2:
        raise NoCode  # it hands on X[0]
    return reduce(code.add, X)


def _added_arrays(arrays: list[Any]) -> LoDTensorArray:
    total = LoDTensorArray()
    for elements in zip_longest(*arrays):
        parts = [one for one in elements if one is not None and one.t is not None]
        total.append(LoDTensor.of(added([one.t for one in parts]), parts[0].lod_value) if parts else LoDTensor())
    return total


def added(tensors: list[Tensor]) -> Tensor:
    if len(tensors) == 1:
        return tensors[0]
    total = torch.add(tensors[0], tensors[1])
    for tensor in tensors[2:]:
        total.add_(tensor)
    return total


def check_same_shapes(X: list[Any]) -> None:
    """Refuse what torch would broadcast or promote. -1 is an unknown size."""
    if not X:
        raise ArgumentError("X must hold at least one tensor")
    shape, dtype = X[0].shape, X[0].dtype
    for i, x in enumerate(X):
        if x.dtype is not dtype:
            raise ArgumentError(f"X[0] is {TORCH_NAME[dtype]}, but X[{i}] is {TORCH_NAME[x.dtype]}")
        if x.shape != shape and not (
            len(x.shape) == len(shape) and all(m == n or -1 in (m, n) for m, n in zip(x.shape, shape))
        ):
            raise ShapeError(f"X[0] has shape {list(shape)}, but X[{i}] has shape {list(x.shape)}")


@sum.infer
def infer_sum(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    (specs,) = inputs
    check_same_shapes(specs)
    return [Spec(tuple(map(max, *(s.shape for s in specs))) if len(specs) > 1 else specs[0].shape, specs[0].dtype)]


@sum.grad
def sum_grad(X: list[Shape], Out_grad: Tensor) -> list[Tensor]:
    return [Out_grad] * len(X)


@sum.gradient_ops
def _copied_back(op: Call) -> list[BackwardOp]:
    return [scaled_back(op, x, 1.0) for x in op.input("X")]
