"""kldiv_loss: the Kullback-Leibler divergence of a target from predicted log probabilities."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.loss.labels import same_shape
from refluid.ops.registry import FLOATS, Shape, Tensor, op

REDUCTIONS = ("none", "batchmean", "mean", "sum")


@op("Loss", lod="X", dtypes={"X": FLOATS, "Target": FLOATS}, nograd="Target")
def kldiv_loss(X: Tensor, Target: Tensor, *, reduction: str = "mean") -> Tensor:
    """Loss = Target * (log(Target) - X), zero where Target <= 0; reduced to [1] unless reduction is "none"."""
    same_shape(X, Target, "X Target")
    if reduction not in REDUCTIONS:
        raise ArgumentError(f"reduction must be one of {', '.join(REDUCTIONS)}, got {reduction!r}")
    positive = Target > 0
    loss = torch.where(positive, Target * (torch.where(positive, Target, 1).log() - X), 0)
    return loss if reduction == "none" else (loss.sum() / _divisor(X.shape, reduction)).reshape(1)


@kldiv_loss.grad
def kldiv_loss_grad(X: Shape, Target: Tensor, Loss_grad: Tensor, *, reduction: str) -> Tensor:
    x_grad = -Target.clamp(min=0) * Loss_grad
    return x_grad if reduction == "none" else x_grad / _divisor(X, reduction)


def _divisor(shape: Shape, reduction: str) -> int:
    return {"sum": 1, "mean": shape.numel(), "batchmean": shape[0]}[reduction]
