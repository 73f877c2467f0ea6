"""huber_loss: squared near zero, linear beyond `delta`."""

from __future__ import annotations

import torch

from refluid.ops.loss.labels import same_shape
from refluid.ops.registry import FLOATS, Tensor, op


@op("Residual Out", lod="X", dtypes={"X": FLOATS, "Y": FLOATS}, intermediate="Residual")
def huber_loss(X: Tensor, Y: Tensor, *, delta: float) -> tuple[Tensor, Tensor]:
    """Out = r^2 / 2 where |r| <= delta, else delta * (|r| - delta / 2), with r = Y - X."""
    same_shape(X, Y, "X Y")
    residual = Y - X
    size = residual.abs()
    return residual, torch.where(size <= delta, 0.5 * residual * residual, delta * (size - 0.5 * delta))


@huber_loss.grad(once=True)
def huber_loss_grad(
    Residual: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...], delta: float
) -> tuple[Tensor | None, Tensor | None]:
    y_grad = Residual.clamp(-delta, delta) * Out_grad
    return -y_grad if needs[0] else None, y_grad if needs[1] else None
