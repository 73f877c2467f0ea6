"""nll_loss: the negative log likelihood of labels, from log probabilities."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.aten import aten
from refluid.ops.loss.labels import class_index
from refluid.ops.registry import FLOATS, INDICES, Long, Tensor, op

forward, backward = aten("nll_loss_forward"), aten("nll_loss_backward")
forward2d, backward2d = aten("nll_loss2d_forward"), aten("nll_loss2d_backward")
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


@op("Out Total_weight", lod=None, dtypes={"X": FLOATS, "Label": INDICES}, nograd="Weight Total_weight")
def nll_loss(
    X: Tensor, Label: Tensor, Weight: Tensor | None = None, *, ignore_index: Long = -100, reduction: str = "mean"
) -> tuple[Tensor, Tensor]:
    """Out = -Weight[label] * X[:, label]; "mean" divides by the sum of the weights, which is Total_weight.

    X is [N, C] with Label [N], or [N, C, H, W] with Label [N, H, W].
    """
    if X.dim() not in (2, 4):
        raise ShapeError(f"X must have 2 or 4 axes, got shape {list(X.shape)}")
    expected = [X.shape[0], *X.shape[2:]]
    if list(Label.shape) != expected:
        raise ShapeError(
            f"Label must have shape {expected} to match X of shape {list(X.shape)}, got {list(Label.shape)}"
        )
    if Weight is not None and list(Weight.shape) != [X.shape[1]]:
        raise ShapeError(f"Weight must have shape [{X.shape[1]}], one weight per class, got {list(Weight.shape)}")
    if reduction not in REDUCTIONS:
        raise ArgumentError(f"reduction must be one of {', '.join(REDUCTIONS)}, got {reduction!r}")
    class_index(Label, X.shape[1], ignore_index)
    kernel = forward if X.dim() == 2 else forward2d
    out, total = kernel(X, Label.long(), Weight, REDUCTIONS[reduction], ignore_index)
    if reduction == "mean":
        out = torch.where(total != 0, out, 0)  # nothing but ignored labels
    return out if reduction == "none" else out.reshape(1), total.reshape(1)


@nll_loss.grad(nograd="X")  # of which it reads the shape alone
def nll_loss_grad(
    X: Tensor,
    Label: Tensor,
    Weight: Tensor | None,
    Total_weight: Tensor,
    Out_grad: Tensor,
    *,
    ignore_index: int,
    reduction: str,
) -> Tensor:
    kernel = backward if X.dim() == 2 else backward2d
    out_grad = Out_grad if reduction == "none" else Out_grad.reshape(())
    return kernel(out_grad, X, Label.long(), Weight, REDUCTIONS[reduction], ignore_index, Total_weight.reshape(()))
