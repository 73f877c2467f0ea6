"""hinge_loss: the loss of a maximum-margin classifier."""

from __future__ import annotations

from refluid.ops.loss.labels import same_shape
from refluid.ops.registry import FLOATS, Tensor, op


@op("Loss", lod="Logits", dtypes={"Logits": FLOATS, "Labels": FLOATS}, nograd="Labels")
def hinge_loss(Logits: Tensor, Labels: Tensor) -> Tensor:
    """Loss = max(0, 1 - (2 * Labels - 1) * Logits) for labels of 0 and 1."""
    same_shape(Logits, Labels, "Logits Labels")
    return (1 - (2 * Labels - 1) * Logits).clamp(min=0)


@hinge_loss.grad
def hinge_loss_grad(Logits: Tensor, Labels: Tensor, Loss_grad: Tensor) -> Tensor:
    sign = 2 * Labels - 1
    return (-sign * Loss_grad).masked_fill(sign * Logits >= 1, 0)
