"""teacher_student_sigmoid_loss: distillation of click models, with clicks and a teacher's score in one label."""

from __future__ import annotations

import torch
from torch.nn.functional import logsigmoid

from refluid.ops.loss.labels import same_shape
from refluid.ops.registry import FLOATS, Tensor, op


@op("Y", lod="X", dtypes={"X": FLOATS, "Label": FLOATS}, nograd="Label")
def teacher_student_sigmoid_loss(
    X: Tensor, Label: Tensor, *, soft_max_up_bound: float = 15.0, soft_max_lower_bound: float = -15.0
) -> Tensor:
    """The sum of the cross entropies of the click and of the teacher's score z, where there is one.

    Label is -2 (no click, no z), -1 (click, no z), z (no click) or 1 + z (click), with z in [0, 1]. The gradient of an
    X outside the bounds is 0.
    """
    same_shape(X, Label, "X Label")
    X = torch.where(_beyond(X, soft_max_up_bound, soft_max_lower_bound), X.detach(), X)
    entropy = -logsigmoid(-X)  # log(1 + exp(X))
    without_teacher = torch.where(Label < -1, entropy, entropy - X)
    return torch.where(Label < 0, without_teacher, 2 * entropy - Label * X)


@teacher_student_sigmoid_loss.grad
def teacher_student_sigmoid_loss_grad(
    X: Tensor, Label: Tensor, Y_grad: Tensor, *, soft_max_up_bound: float, soft_max_lower_bound: float
) -> Tensor:
    p = torch.sigmoid(X)
    slope = torch.where(Label < -1, p, torch.where(Label < 0, p - 1, 2 * p - Label))
    return (slope * Y_grad).masked_fill(_beyond(X, soft_max_up_bound, soft_max_lower_bound), 0)


def _beyond(x: Tensor, up: float, low: float) -> Tensor:
    return torch.ge(x, up) | torch.le(x, low)
