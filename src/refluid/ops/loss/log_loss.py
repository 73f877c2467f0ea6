"""log_loss: binary cross entropy with an epsilon."""

from __future__ import annotations

import torch

from refluid.ops.loss.labels import same_shape
from refluid.ops.registry import FLOATS, Tensor, op


@op("Loss", lod="Predicted", dtypes={"Predicted": FLOATS, "Labels": FLOATS}, nograd="Labels")
def log_loss(Predicted: Tensor, Labels: Tensor, *, epsilon: float) -> Tensor:
    """Loss = -Labels * log(Predicted + epsilon) - (1 - Labels) * log(1 - Predicted + epsilon)."""
    same_shape(Predicted, Labels, "Predicted Labels")
    return -Labels * torch.log(Predicted + epsilon) - (1 - Labels) * torch.log(1 - Predicted + epsilon)


@log_loss.grad
def log_loss_grad(Predicted: Tensor, Labels: Tensor, Loss_grad: Tensor, *, epsilon: float) -> Tensor:
    return Loss_grad * ((1 - Labels) / (1 - Predicted + epsilon) - Labels / (Predicted + epsilon))
