"""bce_loss: binary cross entropy of probabilities."""

from __future__ import annotations

import torch

from refluid.core.errors import ValueRangeError
from refluid.ops.aten import aten
from refluid.ops.loss.labels import same_shape
from refluid.ops.registry import FLOATS, Tensor, op

backward = aten("binary_cross_entropy_backward")
NO_REDUCTION = 0


@op("Out", lod="X", dtypes={"X": FLOATS, "Label": FLOATS}, nograd="Label")
def bce_loss(X: Tensor, Label: Tensor) -> Tensor:
    """Out = -Label * log(X) - (1 - Label) * log(1 - X), each logarithm at least -100."""
    same_shape(X, Label, "X Label")
    try:
        return torch.ops.aten.binary_cross_entropy(X, Label, None, NO_REDUCTION)
    except RuntimeError:
        outside = X[~((X >= 0) & (X <= 1))]
        if not outside.numel():
            raise
        raise ValueRangeError(f"X must hold probabilities from 0 to 1, got {outside[0].item():g}") from None


@bce_loss.grad
def bce_loss_grad(X: Tensor, Label: Tensor, Out_grad: Tensor) -> Tensor:
    return backward(Out_grad, X, Label, None, NO_REDUCTION)
