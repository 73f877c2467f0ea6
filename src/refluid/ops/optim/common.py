"""What the update operators share: reading scalars, refusing sparse gradients, and lists for the fused kernels.

Every kernel updates its parameter and accumulators in place. Scalars such as the learning rate are tensors of one
element; they are read into Python, so that one of float32 serves parameters of any dtype.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import Tensor
from refluid.tensor.selected_rows import SelectedRows, merged


def scalar(value: Tensor, name: str = "LearningRate") -> float:
    """The number in a tensor of one element."""
    if value.numel() != 1:
        raise ShapeError(f"{name} must have one element, got {list(value.shape)}")
    return value.item()


def corrected(rate: float, power: float) -> float:
    """rate / (1 - power): the rate without the bias of a moment, infinite before a program has updated its power."""
    if power != 1:
        return rate / (1 - power)
    return math.copysign(math.inf, rate) if rate else math.nan


def dense(grad: Tensor | SelectedRows, param: Tensor) -> Tensor:
    """The gradient, which must not be sparse and must have the parameter's shape."""
    if isinstance(grad, SelectedRows):
        raise ArgumentError("Grad is a SelectedRows, which this optimizer does not take: use is_sparse=False")
    if grad.shape != param.shape:
        raise ShapeError(f"Grad has shape {list(grad.shape)}, but Param has {list(param.shape)}")
    return grad


def fitting(grad: SelectedRows, param: Tensor) -> SelectedRows:
    """A sparse gradient, whose shape must be the parameter's."""
    if grad.n_rows != param.shape[0] or grad.value.shape[1:] != param.shape[1:]:
        found = [grad.n_rows, *grad.value.shape[1:]]
        raise ShapeError(f"Grad is a SelectedRows of shape {found}, but Param has {list(param.shape)}")
    return grad


def rows_of(grad: SelectedRows, param: Tensor) -> tuple[Tensor, Tensor]:
    """The rows of a sparse gradient, each once, and their values; they must fit the parameter."""
    once = merged(fitting(grad, param))
    return once.index, once.value.to(param.dtype)


def numbers(values: list[Tensor]) -> list[float]:
    """The number in each of many tensors of one element, one transfer for all; the same tensor is read once."""
    first = values[0]
    if all([value is first for value in values]):
        return [scalar(first)] * len(values)
    found = torch.cat(values).tolist()
    return found if len(found) == len(values) else [scalar(value) for value in values]


def groups(keys: list[Any]) -> list[tuple[Any, list[int] | None]]:
    """Each distinct key and its positions; None stands for all of them, as with one learning rate for everything."""
    if keys.count(keys[0]) == len(keys):
        return [(keys[0], None)]
    positions: dict[Any, list[int]] = {}
    for i, key in enumerate(keys):
        positions.setdefault(key, []).append(i)
    return list(positions.items())


def pick(values: list[Any], positions: list[int] | None) -> list[Any]:
    return values if positions is None else [values[i] for i in positions]


def count_writes(params: list[Tensor]) -> None:
    """Increment the version of parameters: torch's fused updates do not, and packed filters would stay outdated."""
    torch.autograd.graph.increment_version(params)


def laid_out_alike(params: list[Tensor], grads: list[Tensor], *accumulators: list[Tensor]) -> list[Tensor] | None:
    """The gradients with the strides and dtypes of their parameters; None if the accumulators have others.

    torch's fused kernels walk over memory and do not look at strides: a gradient that is an expanded scalar, or an
    accumulator that was loaded contiguous while its parameter is channels_last, would be taken wrongly.
    """
    strides = [param.stride() for param in params]
    for values in accumulators:
        if [value.stride() for value in values] != strides:
            return None
    layouts = [(param.shape, stride, param.dtype) for param, stride in zip(params, strides, strict=True)]
    if [(grad.shape, grad.stride(), grad.dtype) for grad in grads] == layouts:
        return grads
    return [torch.empty_like(p).copy_(dense(g, p)) for p, g in zip(params, grads, strict=True)]
