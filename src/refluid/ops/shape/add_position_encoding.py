"""add_position_encoding: sines and cosines of the position added to every element of a sequence."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, LoD, Tensor, op


@op("Out", dtypes={"X": FLOATS})
def add_position_encoding(X: Tensor, X_lod: LoD | None = None, *, alpha: float = 1.0, beta: float = 1.0) -> Tensor:
    """Out = alpha X + beta P, where P depends on the position p of an element in its sequence.

    With D features and h = D / 2, P[k] = sin(p / 10000^(k / (h - 1))) and P[h + k] is the cosine of the same. X is
    [N, length, D], or [total length, D] with a LoD.
    """
    if X.dim() not in (2, 3) or X.shape[-1] % 2:
        raise ShapeError(f"X must be [N, length, D] or [total length, D] with an even D, got {list(X.shape)}")
    if X.dim() == 2 and X_lod is None and not X.is_meta:
        raise ShapeError(f"X of shape {list(X.shape)} must have a LoD")
    half = X.shape[-1] // 2
    position = torch.arange(X.shape[-2], device=X.device, dtype=torch.float64)
    if X_lod is not None:
        position -= X_lod.offsets_tensor(device=X.device)[X_lod.segment_ids(device=X.device)]
    power = (
        torch.arange(half, device=X.device, dtype=torch.float64) / max(half - 1, 1)
        if half > 1
        else position.new_ones(1)
    )
    angle = position[:, None] / 10000.0**power
    return alpha * X + (beta * torch.cat([angle.sin(), angle.cos()], 1)).to(X.dtype)


@add_position_encoding.grad
def add_position_encoding_grad(Out_grad: Tensor, *, alpha: float) -> Tensor:
    return alpha * Out_grad
