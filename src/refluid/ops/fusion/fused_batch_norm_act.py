"""fused_batch_norm_act: batch normalisation of channels-last images, and ReLU."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError
from refluid.ops import registry
from refluid.ops.nn import batch_norm  # noqa: F401  # registers what this one is made of
from refluid.ops.registry import FLOATS, Shape, Tensor, op

_normalise = registry.get("batch_norm").kernel
_normalise_grad = registry.get("batch_norm_grad").kernel


@op(
    "Y MeanOut VarianceOut SavedMean SavedVariance ReserveSpace",
    lod="X",
    dtypes={"X": FLOATS},
    nograd="Mean Variance MeanOut VarianceOut ReserveSpace",
    inplace={"MeanOut": "Mean", "VarianceOut": "Variance"},
    intermediate="SavedMean SavedVariance",
    dispensable="ReserveSpace",
    naming="SavedMean SavedVariance Y",
)
def fused_batch_norm_act(
    X: Tensor,
    Scale: Tensor,
    Bias: Tensor,
    Mean: Tensor,
    Variance: Tensor,
    *,
    momentum: float = 0.9,
    epsilon: float = 1e-5,
    act_type: str = "relu",
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, None]:
    """Y = relu(batch_norm(X)) in training; X is [batch, ..., channels]."""
    if act_type != "relu":
        raise ArgumentError(f"act_type must be 'relu', got {act_type!r}")
    y, *statistics = _normalise(X, Scale, Bias, Mean, Variance, momentum=momentum, epsilon=epsilon, data_layout="NHWC")
    return torch.relu(y), *statistics


@fused_batch_norm_act.grad(once=True)
def fused_batch_norm_act_grad(
    X: Tensor,
    Y: Tensor,
    Scale: Tensor,
    Bias: Shape,
    SavedMean: Tensor,
    SavedVariance: Tensor,
    Y_grad: Tensor,
    *,
    needs: tuple[bool, ...],
    epsilon: float,
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    return _normalise_grad(
        X, Scale, Bias, SavedMean, SavedVariance, torch.where(Y > 0, Y_grad, 0), needs=needs, is_test=False,
        epsilon=epsilon, data_layout="NHWC", use_global_stats=False, trainable_statistics=False,
    )  # fmt: skip
