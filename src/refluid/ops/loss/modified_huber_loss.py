"""modified_huber_loss: a squared hinge loss that is linear for v < -1."""

from __future__ import annotations

import torch

from refluid.ops.loss.labels import same_shape
from refluid.ops.registry import FLOATS, Tensor, op


@op("IntermediateVal Out", lod="X", dtypes={"X": FLOATS, "Y": FLOATS}, intermediate="IntermediateVal", nograd="Y")
def modified_huber_loss(X: Tensor, Y: Tensor) -> tuple[Tensor, Tensor]:
    """Out = -4v where v < -1, (1 - v)^2 where v < 1, else 0, with v = X * (2Y - 1) for labels Y of 0 and 1."""
    same_shape(X, Y, "X Y")
    v = X * (2 * Y - 1)
    return v, torch.where(v < -1, -4 * v, (1 - v).clamp(min=0).square())


@modified_huber_loss.grad(once=True)
def modified_huber_loss_grad(Y: Tensor, IntermediateVal: Tensor, Out_grad: Tensor) -> Tensor:
    # The slope of (1 - v)^2 is -4 at v = -1, so that clamping it covers all three cases.
    return (2 * IntermediateVal - 2).clamp(-4, 0) * (2 * Y - 1) * Out_grad
