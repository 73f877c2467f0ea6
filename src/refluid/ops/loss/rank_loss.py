"""rank_loss: the pairwise loss of RankNet."""

from __future__ import annotations

import torch
from torch.nn.functional import logsigmoid

from refluid.ops.loss.labels import same_shape
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", dtypes={"Label": FLOATS, "Left": FLOATS, "Right": FLOATS}, nograd="Label")
def rank_loss(Label: Tensor, Left: Tensor, Right: Tensor) -> Tensor:
    """Out = log(1 + exp(o)) - Label * o with o = Left - Right; Label is the probability that Left ranks higher."""
    same_shape(Left, Right, "Left Right")
    same_shape(Left, Label, "Left Label")
    o = Left - Right
    return -logsigmoid(-o) - Label * o


@rank_loss.grad
def rank_loss_grad(
    Label: Tensor, Left: Tensor, Right: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...]
) -> tuple[Tensor | None, Tensor | None]:
    left_grad = (torch.sigmoid(Left - Right) - Label) * Out_grad
    return left_grad if needs[0] else None, -left_grad if needs[1] else None
