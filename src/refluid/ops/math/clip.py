"""clip (by value) and clip_by_norm. Both take SelectedRows, since they are made for gradients."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.aten import aten
from refluid.ops.registry import FLOATS, Tensor, op
from refluid.tensor.selected_rows import SelectedRows, merged

hardtanh = aten("hardtanh")  # clamp, but for the gradient at min and max: 0, as in Fluid
hardtanh_backward = aten("hardtanh_backward")


@op("Out", like="X", lod="X", dtypes={"X": FLOATS}, nograd="Min Max")
def clip(X: Tensor, Min: Tensor | None = None, Max: Tensor | None = None, *, min: float, max: float) -> Tensor:
    """Out = X clipped to [min, max]; either may be a tensor of one element."""
    if type(X) is SelectedRows:
        rows = merged(X)  # a row that is listed twice is clipped as the sum that it means
        return SelectedRows.of(rows.index, clipped(rows.value, Min, Max, min, max), rows.n_rows)
    return clipped(X, Min, Max, min, max)


def clipped(x: Tensor, low: Tensor | None, high: Tensor | None, min: float, max: float) -> Tensor:
    if low is None and high is None:
        if min > max:
            raise ArgumentError(f"min must not be greater than max, got min={min}, max={max}")
        return hardtanh(x, min, max)
    x = torch.clamp_min(x, min) if low is None else torch.clamp_min(x, low.to(x.dtype))
    return torch.clamp_max(x, max) if high is None else torch.clamp_max(x, high.to(x.dtype))


@clip.grad
def clip_grad(X: Tensor, Min: Tensor | None, Max: Tensor | None, Out_grad: Tensor, *, min: float, max: float) -> Tensor:
    if Min is None and Max is None:
        return hardtanh_backward(Out_grad, X, min, max)
    inside = torch.gt(X, min if Min is None else Min) & torch.lt(X, max if Max is None else Max)
    return torch.where(inside, Out_grad, 0.0)


@op("Out", like="X", dtypes={"X": FLOATS}, nograd="*")
def clip_by_norm(X: Tensor, *, max_norm: float) -> Tensor:
    """Out = X, scaled down to the L2 norm `max_norm` if its own is greater."""
    if max_norm <= 0:
        raise ArgumentError(f"max_norm must be positive, got {max_norm}")
    if type(X) is SelectedRows:
        rows = merged(X)
        return SelectedRows.of(rows.index, scaled_to_norm(rows.value, max_norm), rows.n_rows)
    return scaled_to_norm(X, max_norm)


def scaled_to_norm(x: Tensor, max_norm: float) -> Tensor:
    length = torch.linalg.vector_norm(x)
    return x * (max_norm / torch.clamp_min(length, max_norm))  # the factor is 1 if the norm is small enough


@op("Out", like="X", lod="X", dtypes={"X": FLOATS}, nograd="*")
def dgc_clip_by_norm(current_step: Tensor, X: Tensor, *, max_norm: float, rampup_begin_step: float = -1.0) -> Tensor:
    """clip_by_norm from step `rampup_begin_step` on, where deep gradient compression starts; before it, Out = X."""
    if X.is_meta or int(rampup_begin_step) < 0 or float(current_step) < rampup_begin_step:
        return X.clone()
    return scaled_to_norm(X, max_norm)
