"""group_norm and instance_norm: normalise every sample over groups of its channels, or over each channel."""

from __future__ import annotations

import math

import torch

from refluid.core.errors import ShapeError
from refluid.ops.aten import aten
from refluid.ops.nn.geometry import channels_first, channels_last, is_channels_last
from refluid.ops.registry import FLOATS, Shape, Tensor, op

native_group_norm_backward = aten("native_group_norm_backward")


@op(
    "Y Mean Variance",
    dtypes={"X": FLOATS},
    intermediate="Mean Variance",
    naming="Mean Variance Y",
    fresh=True,
    grad_keeps="Y",
)
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
    if not 1 <= groups <= channels:
        raise ShapeError(f"groups must be between 1 and the {channels} channels of X, got {groups}")
    pieces = [_normalise(*_cut(piece, x, Scale, Bias), count, epsilon) for piece, count in _shares(channels, groups)]
    y, mean, rstd = pieces[0] if len(pieces) == 1 else (torch.cat(parts, 1) for parts in zip(*pieces))
    variance = rstd.pow(-2).sub_(epsilon)
    if mean.shape[1] < groups:  # groups without a channel
        mean, variance = (
            torch.nn.functional.pad(t, (0, groups - t.shape[1]), value=math.nan) for t in (mean, variance)
        )
    return channels_last(y) if last else y, mean, variance


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
    replayed, rstd, seen, pieces = _is_replayed(x, Scale, y_grad), (Variance + epsilon).rsqrt(), 0, []
    for piece, count in _shares(x.shape[1], groups):
        (part, scale, _), grad = _cut(piece, x, Scale, None), y_grad[:, piece]
        pieces.append(
            _differentiable(part, scale, grad, count, epsilon)
            if replayed
            else _gradients(part, scale, Mean[:, seen : seen + count], rstd[:, seen : seen + count], grad, count, mask)
        )
        seen += count
    x_grad, scale_grad, bias_grad = pieces[0] if len(pieces) == 1 else map(_joined, zip(*pieces), (1, 0, 0))
    return channels_last(x_grad) if last and x_grad is not None else x_grad, scale_grad, bias_grad


def _shares(channels: int, groups: int) -> list[tuple[slice, int]]:
    """Slices of channels with groups of equal size: where groups do not divide them, the last group has the rest."""
    size = -(-channels // groups)
    even = channels // size
    pieces = [(slice(0, even * size), even)]
    return pieces if even * size == channels else [*pieces, (slice(even * size, channels), 1)]


def _cut(
    piece: slice, x: Tensor, scale: Tensor | None, bias: Tensor | None
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    if piece.stop - piece.start == x.shape[1]:
        return x, scale, bias
    return x[:, piece], None if scale is None else scale[piece], None if bias is None else bias[piece]


def _joined(parts: tuple[Tensor | None, ...], axis: int) -> Tensor | None:
    return None if parts[0] is None else torch.cat(parts, axis)  # type: ignore[arg-type]  # all or none


@op(
    "Y SavedMean SavedVariance",
    dtypes={"X": FLOATS},
    intermediate="SavedMean SavedVariance",
    naming="SavedMean SavedVariance Y",
    fresh=True,
)
def instance_norm(X: Tensor, Scale: Tensor, Bias: Tensor, *, epsilon: float = 1e-5) -> tuple[Tensor, Tensor, Tensor]:
    """Y = Scale * (X - mean) * SavedVariance + Bias, over each channel of each sample.

    SavedMean and SavedVariance, which is 1 / sqrt(variance + epsilon), are flat: one number per sample and channel.
    """
    y, mean, rstd = _normalise(X, Scale, Bias, _check(X, Scale, Bias), epsilon)
    return y, mean.reshape(-1), rstd.reshape(-1)


@instance_norm.grad
def instance_norm_grad(
    X: Tensor,
    Scale: Tensor,
    SavedMean: Tensor,
    SavedVariance: Tensor,
    Y_grad: Tensor,
    *,
    needs: tuple[bool, ...],
    epsilon: float,
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    if _is_replayed(X, Scale, Y_grad):
        return _differentiable(X, Scale, Y_grad, X.shape[1], epsilon)
    mean, rstd = SavedMean.reshape(X.shape[:2]), SavedVariance.reshape(X.shape[:2])
    return _gradients(X, Scale, mean, rstd, Y_grad, X.shape[1], list(needs))


def _is_replayed(*read: Tensor | None) -> bool:
    return torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in read)


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
    # torch's autograd ignores a bias without a scale, so that one is added here.
    fused_bias = bias if scale is not None else None
    y, mean, rstd = torch.native_group_norm(_dense(x), scale, fused_bias, n, channels, area, groups, epsilon)
    if bias is not None and fused_bias is None:
        y = y + bias.reshape(-1, *[1] * (x.dim() - 2))
    return y, mean, rstd


def _gradients(
    x: Tensor, scale: Tensor | None, mean: Tensor, rstd: Tensor, y_grad: Tensor, groups: int, mask: list[bool]
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    n, channels, area = x.shape[0], x.shape[1], math.prod(x.shape[2:])
    x = _dense(x)
    like_x = torch.channels_last if not x.is_contiguous() else torch.contiguous_format
    y_grad = y_grad.contiguous(memory_format=like_x)
    # ATen's kernel crashes when the gradient of x is not asked for, and has none of a bias without a scale.
    kernel_mask = [True, mask[1], mask[2] and scale is not None]
    grads = native_group_norm_backward(
        y_grad, x, mean.contiguous(), rstd.contiguous(), scale, n, channels, area, groups, kernel_mask
    )
    x_grad, scale_grad, bias_grad = grads
    if mask[2] and scale is None:
        bias_grad = y_grad.sum([i for i in range(x.dim()) if i != 1])
    return x_grad, scale_grad, bias_grad


def _differentiable(
    x: Tensor, scale: Tensor | None, y_grad: Tensor, groups: int, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """The same in plain operations, mean and variance as functions of x, for gradients of gradients: ATen has none."""
    per_group, per_channel = (x.shape[0], groups, -1), (1, -1, *[1] * (x.dim() - 2))
    grouped = x.reshape(per_group)
    centred = grouped - grouped.mean(2, keepdim=True)
    rstd = (centred.square().mean(2, keepdim=True) + epsilon).rsqrt()
    normal = centred * rstd
    grad = (y_grad if scale is None else y_grad * scale.reshape(per_channel)).reshape(per_group)
    x_grad = rstd * (grad - grad.mean(2, keepdim=True) - normal * (grad * normal).mean(2, keepdim=True))
    others = [i for i in range(x.dim()) if i != 1]
    return x_grad.reshape(x.shape), (y_grad * normal.reshape(x.shape)).sum(others), y_grad.sum(others)


def _dense(x: Tensor) -> Tensor:
    """ATen's kernel takes these two memory formats only."""
    last = x.dim() == 4 and x.is_contiguous(memory_format=torch.channels_last)
    return x if last else x.contiguous()
