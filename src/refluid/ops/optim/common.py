"""What the update operators share: reading scalars, refusing sparse gradients, and lists for the fused kernels.

Every kernel updates its parameter and accumulators in place. Scalars such as the learning rate are tensors of one
element; they are read into Python, so that one of float32 serves parameters of any dtype.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import Tensor
from refluid.tensor.selected_rows import SelectedRows, merged


def scalar(value: Tensor, name: str = "LearningRate") -> float:
    """The number in a tensor of one element."""
    if value.numel() != 1:
        raise ShapeError(f"{name} must have one element, got shape {list(value.shape)}")
    return value.item()


def dense(grad: Tensor | SelectedRows) -> Tensor:
    """The gradient, which must not be sparse."""
    if isinstance(grad, SelectedRows):
        raise ArgumentError("Grad is a SelectedRows, which this optimizer does not take: use is_sparse=False")
    return grad


def rows_of(grad: SelectedRows, param: Tensor) -> tuple[Tensor, Tensor]:
    """The rows of a sparse gradient, each once, and their values; they must fit the parameter."""
    if grad.n_rows != param.shape[0] or grad.value.shape[1:] != param.shape[1:]:
        found = [grad.n_rows, *grad.value.shape[1:]]
        raise ShapeError(f"Grad is a SelectedRows of shape {found}, but Param has {list(param.shape)}")
    once = merged(grad)
    return once.index, once.value.to(param.dtype)


def numbers(values: Sequence[Tensor]) -> list[float]:
    """The number in each of many tensors of one element, one transfer for all; the same tensor is read once."""
    first = values[0]
    if all(value is first for value in values):
        return [scalar(first)] * len(values)
    return torch.cat([value.reshape(-1) for value in values]).tolist()


def groups(keys: Sequence[Hashable]) -> list[tuple[Any, list[int]]]:
    """The positions of each distinct key. Mostly there is one: one learning rate for all parameters."""
    found: dict[Hashable, list[int]] = {}
    for i, key in enumerate(keys):
        found.setdefault(key, []).append(i)
    return list(found.items())


def pick(values: Sequence[Any], positions: Sequence[int]) -> list[Any]:
    return list(values) if len(positions) == len(values) else [values[i] for i in positions]


def laid_out_as(params: Sequence[Tensor], grads: Sequence[Tensor]) -> list[Tensor]:
    """The gradients with the strides and dtypes of their parameters.

    torch's fused kernels walk over memory and do not look at strides: a gradient that is an expanded scalar, or
    contiguous where its parameter is channels_last, would be read wrongly.
    """
    return [
        grad if grad.stride() == param.stride() and grad.dtype == param.dtype else _copy_like(param, grad)
        for param, grad in zip(params, grads, strict=True)
    ]


def _copy_like(param: Tensor, grad: Tensor) -> Tensor:
    return torch.empty_like(param).copy_(grad.reshape(param.shape))
