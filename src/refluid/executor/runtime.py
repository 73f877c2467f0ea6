"""What the lines of a plan call besides kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from refluid.core import random
from refluid.core.errors import ValueRangeError
from refluid.core.layout import as_channels_last
from refluid.ops import registry
from refluid.tensor.lod import LoD
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import ScopeVar
from refluid.tensor.selected_rows import SelectedRows

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable

sum_kernel = registry.get("sum").kernel


def put(var: ScopeVar, value: object, fresh: bool, lod: LoD | None = None) -> Any:
    """Store a persistable that a kernel has created. It must not share memory with anything that may change.

    Returns what is stored, for the lines that follow: one of them may update it in place.
    """
    if isinstance(value, torch.Tensor):
        holder = var.get_tensor()
        holder.lod_value = lod
        value = holder.t = value if fresh else value.clone()
    elif value is not None:
        var.value = value
    else:  # the kernel leaves it as it is
        held = var.value
        return held.t if isinstance(held, LoDTensor) else held
    return value


def channels_last(var: ScopeVar) -> torch.Tensor | None:
    """The tensor of a convolution filter (or of its optimizer state), laid out as the convolutions like it."""
    holder: LoDTensor = var.value
    t = holder.t
    if t is not None and t.dim() == 4:
        holder.t = t = as_channels_last(t)
    return t


def check_finite(value: object, name: str) -> None:
    """FLAGS_check_nan_inf: refuse a result that holds NaN or infinity."""
    t = value.value if isinstance(value, SelectedRows) else value
    if isinstance(t, torch.Tensor) and t.is_floating_point():
        bad = ~torch.isfinite(t)
        if bool(bad.any()):
            first_bad = t[bad].flatten()[0].item()
            count = int(bad.sum())
            raise ValueRangeError(
                f"the result {name} holds {first_bad} ({count} of {t.numel()} elements are not finite)"
            )


def accumulate(total: BaseVariable, part: BaseVariable) -> BaseVariable:
    """Add one iteration's gradient to those of the iterations before (None: there are none yet)."""
    if part is None:
        return total
    if total is None:
        return part.clone() if isinstance(part, torch.Tensor) else part
    if isinstance(total, torch.Tensor) and isinstance(part, torch.Tensor):
        return total.add_(part)
    return sum_kernel([total, part])


class Generator:
    """The random generator of one operator of a program; see Note [Seeds]."""

    def __init__(self, state: random.RandomState, kind: str, seed: int, position: int):
        self.state, self.kind, self.seed, self.position = state, kind, seed, position

    def __call__(self) -> torch.Generator:
        if self.seed:
            return random.fresh(self.seed)
        if self.kind == "fresh" and self.state.seed:
            return random.fresh(self.state.seed, self.position)
        return random.stream_of(self.state)
