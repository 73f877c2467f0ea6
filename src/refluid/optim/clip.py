"""Gradient clipping and error clipping."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.ops.math.clip import clip
from refluid.ops.signature import GRAD_SUFFIX


class ErrorClipByValue:
    """Clips the gradient of a variable while the backward pass goes on: `var.error_clip = ErrorClipByValue(max=1)`."""

    def __init__(self, max: float, min: float | None = None):
        self.max = float(max)
        self.min = -float(max) if min is None else float(min)

    def append_clip(self, block: Any, grad_name: str) -> None:
        block.append_op("clip", {"X": grad_name}, {"Out": grad_name}, {"min": self.min, "max": self.max})

    def __str__(self) -> str:
        return f"ByValue, min={self.min:f}, max={self.max:f}"


def error_clip_callback(block: Any, context: dict[str, str]) -> None:
    """After each gradient operator: clip what it wrote, where the variable asks for it."""
    for name, grad_name in context.items():
        var = block.find_var(name.split(GRAD_SUFFIX)[0])
        if var is not None and var.error_clip is not None:
            if not hasattr(var.error_clip, "append_clip"):
                raise ArgumentError(f"error_clip of {name} must be an ErrorClipByValue, got {type(var.error_clip).__name__}")
            var.error_clip.append_clip(block, grad_name)


class GradientClipByValue:
    """Every element between min and max."""

    def __init__(self, max: float, min: float | None = None, need_clip: Any = None):
        self.max = float(max)
        self.min = -float(max) if min is None else float(min)
        self.need_clip = need_clip

    def __call__(self, params_grads: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        return [(p, g if g is None else clip(g, min=self.min, max=self.max)) for p, g in params_grads]


def clip_gradients(params_grads: list[tuple[Any, Any]], grad_clip: Any = None) -> list[tuple[Any, Any]]:
    """Clip by the optimizer's own clip, else by what each parameter asks for."""
    if grad_clip is not None:
        return grad_clip(params_grads)
    return params_grads


