"""The activations of recurrent units, by name, with their derivatives in terms of their results."""

from __future__ import annotations

from collections.abc import Callable

import torch

from refluid.core.errors import ArgumentError

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


def activation(name: str) -> Activation:
    """The activation of this name."""
    if name not in ACTIVATIONS:
        raise ArgumentError(f"activations must be one of {', '.join(ACTIVATIONS)}, got {name!r}")
    return ACTIVATIONS[name]
