"""data_norm: normalise features by sums over all the data seen so far."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import FLOATS, Tensor, op

SEEN = 1e-7  # a slot whose first feature is no larger was not shown to the user


@op("Y Means Scales", dtypes={"X": FLOATS}, intermediate="Means Scales", naming="Means Scales Y", extra_attrs={
    "data_layout": "STRING", "sync_stats": "BOOLEAN", "summary_decay_rate": "FLOAT",
}, late="X BatchSize BatchSum BatchSquareSum",
   grad_hints="use_mkldnn data_layout summary_decay_rate sync_stats")  # fmt: skip
def data_norm(
    scale_w: Tensor | None,
    bias: Tensor | None,
    X: Tensor,
    BatchSize: Tensor,
    BatchSum: Tensor,
    BatchSquareSum: Tensor,
    *,
    epsilon: float = 1e-4,
    slot_dim: int = -1,
    enable_scale_and_shift: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """Y = (X - Means) * Scales (* scale_w + bias).

    Means = BatchSum / BatchSize and Scales = sqrt(BatchSize / BatchSquareSum).
    With `slot_dim`, features come in slots of that many, and Y is zero for a slot whose first feature is zero.
    """
    if X.dim() != 2:
        raise ShapeError(f"X must be [batch, features], got {list(X.shape)}")
    for name, t in (("BatchSize", BatchSize), ("BatchSum", BatchSum), ("BatchSquareSum", BatchSquareSum)):
        if t.numel() != X.shape[1]:
            raise ShapeError(f"X has {X.shape[1]} features, but {name} has {t.numel()} numbers")
    means, scales = BatchSum / BatchSize, (BatchSize / BatchSquareSum).sqrt()
    y = (X - means) * scales
    if enable_scale_and_shift:
        if scale_w is None or bias is None:
            raise ArgumentError("inputs scale_w and bias are missing, which enable_scale_and_shift reads")
        y = y * scale_w + bias
    shown = _shown(X, slot_dim)
    return y if shown is None else y * shown, means, scales


@data_norm.grad
def data_norm_grad(
    scale_w: Tensor | None,
    bias: Tensor | None,
    X: Tensor,
    Means: Tensor,
    Scales: Tensor,
    Y_grad: Tensor,
    *,
    needs: tuple[bool, ...],
    epsilon: float,
    slot_dim: int,
    enable_scale_and_shift: bool,
) -> tuple[Tensor | None, Tensor | None, Tensor, Tensor, Tensor, Tensor]:
    """Fluid: the gradients of BatchSize, BatchSum and BatchSquareSum are what this batch adds to them."""
    shown = _shown(X, slot_dim)
    y_grad = Y_grad if shown is None else Y_grad * shown
    centred = X - Means
    scale_grad = (y_grad * centred * Scales).sum(0) if scale_w is not None and needs[0] else None
    bias_grad = y_grad.sum(0) if bias is not None and needs[1] else None
    x_grad = y_grad * (Scales * scale_w if enable_scale_and_shift and scale_w is not None else Scales)
    if shown is None:
        size = torch.full_like(Means, X.shape[0])
        sums, squares = X.sum(0), centred.square().sum(0) + size * epsilon
    else:
        count = shown.sum(0).to(X.dtype)
        size, divisor = (count > 0).to(X.dtype), count.clamp(min=1.0)
        sums, squares = (X * shown).sum(0) / divisor, (centred.square() * shown).sum(0) / divisor + count * epsilon
    return scale_grad, bias_grad, x_grad, size, sums, squares


def _shown(x: Tensor, slot_dim: int) -> Tensor | None:
    """Which features count, if they come in slots."""
    if slot_dim <= 0:
        return None
    if x.shape[1] % slot_dim:
        raise ShapeError(f"X has {x.shape[1]} features, which are not slots of slot_dim={slot_dim}")
    return (x[:, ::slot_dim].abs() >= SEEN).repeat_interleave(slot_dim, 1)
