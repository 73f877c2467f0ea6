"""The activations of recurrent units, by name, with their derivatives in terms of their results."""

from __future__ import annotations

from collections.abc import Callable

import torch

from refluid.core.errors import ArgumentError
from refluid.native import call as native

Tensor = torch.Tensor
Activation = Callable[[Tensor], Tensor]
Slope = Callable[[Tensor, Tensor], Tensor]

ACTIVATIONS: dict[str, Activation] = {
    "identity": lambda x: x, "sigmoid": torch.sigmoid, "tanh": torch.tanh, "relu": torch.relu,
}  # fmt: skip
SLOPES: dict[str, Slope] = {  # the gradient of the argument, from the result and its gradient
    "identity": lambda y, dy: dy,
    "sigmoid": lambda y, dy: dy * y * (1 - y),
    "tanh": lambda y, dy: dy * (1 - y * y),
    "relu": lambda y, dy: dy * (y > 0),
}


NUMBERS = {"identity": 0, "sigmoid": 1, "tanh": 2, "relu": 3}  # gru_unit's, and those of the C++ kernels


def native_takes(first: Tensor, *others: Tensor | None) -> bool:
    """Whether a C++ kernel can compute a recurrence with these: floats of one dtype, outside of torch's autograd."""
    values = (first, *(value for value in others if value is not None))
    if any(value.requires_grad or value.dtype != first.dtype for value in values):
        return False
    return native.takes(*values)


def activation(name: str) -> Activation:
    """The activation of this name."""
    if name not in ACTIVATIONS:
        raise ArgumentError(f"activations must be one of {', '.join(ACTIVATIONS)}, got {name!r}")
    return ACTIVATIONS[name]
