"""center_loss: the distance of features from the center of their class; updates the centers too."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.loss.labels import class_index
from refluid.ops.registry import FLOATS, INDICES, Shape, Tensor, op


@op(
    "CentersOut SampleCenterDiff Loss",
    lod=None,
    dtypes={"X": FLOATS, "Label": INDICES, "Centers": FLOATS},
    nograd="Centers CenterUpdateRate CentersOut SampleCenterDiff",
    inplace={"CentersOut": "Centers"},
    late="Label",
)
def center_loss(
    X: Tensor,
    Label: Tensor,
    Centers: Tensor,
    CenterUpdateRate: Tensor,
    *,
    cluster_num: int,
    need_update: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Loss = |d|^2 / 2 with d = X - Centers[label]. A center c seen n times moves by rate * sum(d) / (1 + n)."""
    if X.dim() != 2 or Centers.dim() != 2 or X.shape[1] != Centers.shape[1]:
        raise ShapeError(f"X has shape {list(X.shape)}, but Centers has {list(Centers.shape)}")
    if Label.numel() < X.shape[0]:
        raise ShapeError(f"X has {X.shape[0]} rows, but Label has {Label.numel()} elements")
    label, _ = class_index(Label.reshape(-1)[: X.shape[0]], Centers.shape[0], of="Centers")
    diff = X - Centers.index_select(0, label)
    if need_update:
        moves = torch.zeros_like(Centers).index_add_(0, label, diff.detach())
        seen = X.new_ones(Centers.shape[0]).index_add_(0, label, X.new_ones(X.shape[0]))
        Centers.add_(moves / seen.unsqueeze(1) * CenterUpdateRate.to(Centers.dtype))
    return Centers, diff, 0.5 * diff.square().sum(1, keepdim=True)


@center_loss.grad(once=True)
def center_loss_grad(X: Shape, SampleCenterDiff: Tensor, Loss_grad: Tensor) -> Tensor:
    return SampleCenterDiff * Loss_grad
