"""group_norm and instance_norm: normalise every sample over groups of its channels, or over each channel."""

from __future__ import annotations

import math

import torch

from refluid.core.errors import ShapeError
from refluid.ops.aten import aten
from refluid.ops.nn.geometry import channels_first, channels_last, is_channels_last
from refluid.ops.registry import FLOATS, Shape, Tensor, op

native_group_norm_backward = aten("native_group_norm_backward")


@op("Y Mean Variance", dtypes={"X": FLOATS}, intermediate="Mean Variance")
def group_norm(
    X: Tensor,
    Scale: Tensor | None = None,
    Bias: Tensor | None = None,
    *,
    groups: int,
    epsilon: float = 1e-5,
    data_layout: str = "NCHW",
) -> tuple[Tensor, Tensor, Tensor]:
    """Y = Scale * (X - Mean) / sqrt(Variance + epsilon) + Bias, over each of `groups` groups of channels.

    Scale and Bias have one number per channel; Mean and Variance are [batch, groups].
    """
    last = is_channels_last(data_layout)
    x = channels_first(X) if last else X
    channels = _check(x, Scale, Bias)
    if groups < 1 or channels % groups:
        raise ShapeError(f"X has {channels} channels, which {groups} groups cannot share evenly")
    y, mean, rstd = _normalise(x, Scale, Bias, groups, epsilon)
    return channels_last(y) if last else y, mean, rstd.pow(-2).sub_(epsilon)


@group_norm.grad
def group_norm_grad(
    X: Tensor,
    Scale: Tensor | None,
    Bias: Shape | None,
    Mean: Tensor,
    Variance: Tensor,
    Y_grad: Tensor,
    *,
    needs: tuple[bool, ...],
    groups: int,
    epsilon: float,
    data_layout: str,
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    last = is_channels_last(data_layout)
    x, y_grad = (channels_first(X), channels_first(Y_grad)) if last else (X, Y_grad)
    mask = [needs[0], Scale is not None and needs[1], Bias is not None and needs[2]]
    x_grad, scale_grad, bias_grad = _gradients(x, Scale, Mean, (Variance + epsilon).rsqrt(), y_grad, groups, mask)
    return channels_last(x_grad) if last and x_grad is not None else x_grad, scale_grad, bias_grad


@op("Y SavedMean SavedVariance", dtypes={"X": FLOATS}, intermediate="SavedMean SavedVariance")
def instance_norm(X: Tensor, Scale: Tensor, Bias: Tensor, *, epsilon: float = 1e-5) -> tuple[Tensor, Tensor, Tensor]:
    """Y = Scale * (X - mean) * SavedVariance + Bias, over each channel of each sample.

    SavedMean and SavedVariance, which is 1 / sqrt(variance + epsilon), are flat: one number per sample and channel.
    """
    y, mean, rstd = _normalise(X, Scale, Bias, _check(X, Scale, Bias), epsilon)
    return y, mean.reshape(-1), rstd.reshape(-1)


@instance_norm.grad
def instance_norm_grad(
    X: Tensor, Scale: Tensor, SavedMean: Tensor, SavedVariance: Tensor, Y_grad: Tensor, *, needs: tuple[bool, ...]
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    stats = X.shape[:2]
    return _gradients(X, Scale, SavedMean.reshape(stats), SavedVariance.reshape(stats), Y_grad, X.shape[1], list(needs))


def _check(x: Tensor, scale: Tensor | None, bias: Tensor | None) -> int:
    """The number of channels."""
    if not 2 <= x.dim() <= 5:
        raise ShapeError(f"X must have 2 to 5 dimensions, got {x.dim()}: {list(x.shape)}")
    channels = x.shape[1]
    for name, t in (("Scale", scale), ("Bias", bias)):
        if t is not None and t.numel() != channels:
            raise ShapeError(f"X has {channels} channels, but {name} has {t.numel()} numbers")
    return channels


def _normalise(
    x: Tensor, scale: Tensor | None, bias: Tensor | None, groups: int, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    n, channels, area = x.shape[0], x.shape[1], math.prod(x.shape[2:])
    return torch.native_group_norm(_dense(x), scale, bias, n, channels, area, groups, epsilon)


def _gradients(
    x: Tensor, scale: Tensor | None, mean: Tensor, rstd: Tensor, y_grad: Tensor, groups: int, mask: list[bool]
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    n, channels, area = x.shape[0], x.shape[1], math.prod(x.shape[2:])
    x = _dense(x)
    like_x = torch.channels_last if not x.is_contiguous() else torch.contiguous_format
    y_grad = y_grad.contiguous(memory_format=like_x)
    return native_group_norm_backward(y_grad, x, mean, rstd, scale, n, channels, area, groups, mask)


def _dense(x: Tensor) -> Tensor:
    """ATen's kernel takes these two memory formats only."""
    last = x.dim() == 4 and x.is_contiguous(memory_format=torch.channels_last)
    return x if last else x.contiguous()
