"""The gradient of a normalisation as a function of X alone, for gradients of gradients.

torch's backward kernels read statistics as if they did not depend on X, which is right for first and second derivatives
and wrong for third ones.
"""

from __future__ import annotations

import torch

from refluid.ops.registry import Tensor


def is_derived(*tensors: Tensor) -> bool:
    """Whether a derivative of what is computed now will be asked for."""
    return torch.is_grad_enabled() and any(t.requires_grad for t in tensors)


def normalised_grad(
    X: Tensor, gain: Tensor | None, Y_grad: Tensor, axes: tuple[int, ...], epsilon: float
) -> tuple[Tensor, Tensor]:
    """(the gradient of X, X normalised) for Y = gain * (X - mean) / sqrt(variance + epsilon) over these axes."""
    centred = X - X.mean(axes, keepdim=True)
    rstd = (centred.square().mean(axes, keepdim=True) + epsilon).rsqrt()
    x = centred * rstd
    grad = Y_grad if gain is None else Y_grad * gain
    along = (grad * x).mean(axes, keepdim=True)
    return rstd * (grad - grad.mean(axes, keepdim=True) - x * along), x
