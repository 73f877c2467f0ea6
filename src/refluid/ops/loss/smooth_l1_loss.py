"""smooth_l1_loss: the huber loss of object detection, summed per sample."""

from __future__ import annotations

import math

import torch

from refluid.ops.loss.labels import same_shape
from refluid.ops.registry import FLOATS, Tensor, op


@op(
    "Diff Out",
    lod="X",
    dtypes={"X": FLOATS, "Y": FLOATS},
    intermediate="Diff",
    nograd="InsideWeight OutsideWeight",
)
def smooth_l1_loss(
    X: Tensor,
    Y: Tensor,
    InsideWeight: Tensor | None = None,
    OutsideWeight: Tensor | None = None,
    *,
    sigma: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """Out[n] = sum(OutsideWeight * l(d)) over sample n, with d = InsideWeight * (X - Y) and

    l(d) = (sigma * d)^2 / 2 where |d| < 1 / sigma^2, else |d| - 1 / (2 * sigma^2).
    """
    same_shape(X, Y, "X Y")
    diff = X - Y
    if InsideWeight is not None:
        same_shape(InsideWeight, X, "InsideWeight X")
        diff = diff * InsideWeight
    size, square = diff.abs(), sigma * sigma
    bound = 1 / square if square else math.inf
    error = torch.where(size < bound, 0.5 * square * diff * diff, size - 0.5 * bound)
    if OutsideWeight is not None:
        same_shape(OutsideWeight, X, "OutsideWeight X")
        error = error * OutsideWeight
    return diff, error.flatten(1).sum(1, keepdim=True)


@smooth_l1_loss.grad(once=True)
def smooth_l1_loss_grad(
    InsideWeight: Tensor | None,
    OutsideWeight: Tensor | None,
    Diff: Tensor,
    Out_grad: Tensor,
    *,
    needs: tuple[bool, ...],
    sigma: float,
) -> tuple[Tensor | None, Tensor | None]:
    x_grad = (Diff * (sigma * sigma)).clamp(-1, 1) * Out_grad.reshape(-1, *[1] * (Diff.dim() - 1))
    for weight in (InsideWeight, OutsideWeight):
        if weight is not None:
            x_grad = x_grad * weight
    return x_grad if needs[0] else None, -x_grad if needs[1] else None
