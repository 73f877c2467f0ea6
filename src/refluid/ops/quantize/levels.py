"""What quantization operators share: the largest integer of a number of bits, and quantization itself."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.registry import Tensor


def top(bits: int) -> int:
    """The largest signed integer of so many bits."""
    if not 1 < bits <= 16:
        raise ArgumentError(f"a number of bits must be from 2 to 16, got {bits}")
    return (1 << (bits - 1)) - 1


def largest(x: Tensor) -> Tensor:
    """The largest absolute value, [1]."""
    return x.abs().amax().reshape(1) if x.numel() else x.new_zeros(1)


def quantized(x: Tensor, scale: Tensor, bits: int) -> Tensor:
    """x clipped to +-scale, as integers up to `top(bits)`, which stands for scale; rounds halves away from zero."""
    # Fluid: a scale of zero does not divide by zero.
    steps = x.clamp(-scale, scale) * (top(bits) / torch.where(scale <= 1e-30, scale + 1e-6, scale))
    return torch.copysign((steps.abs() + 0.5).floor(), steps)
