"""Error clipping: the gradient of a variable is clipped on its way back through the network."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import DtypeError
from refluid.ops.signature import GRAD_SUFFIX


class BaseErrorClipAttr:
    """What clips the gradient of one variable as it is made; a class of your own has `_append_clip_op`."""

    def _append_clip_op(self, block: Any, grad_name: str) -> None:
        raise NotImplementedError(f"{type(self).__name__} must have _append_clip_op(block, grad_name)")


class ErrorClipByValue(BaseErrorClipAttr):
    """Every element of the gradient between min and max: `var.error_clip = ErrorClipByValue(max=1)`."""

    def __init__(self, max: float, min: float | None = None):
        self.max = float(max)
        self.min = -self.max if min is None else float(min)

    def _append_clip_op(self, block: Any, grad_name: str) -> None:
        block.append_op("clip", {"X": grad_name}, {"Out": grad_name}, {"min": self.min, "max": self.max})

    def __str__(self) -> str:
        return f"ByValue, min={self.min:f}, max={self.max:f}"


def error_clip_callback(block: Any, context: dict[str, str]) -> None:
    """After each gradient operator: clip what it wrote, where the variable asks for it."""
    for name, grad_name in context.items():
        var = block.find_var(name.split(GRAD_SUFFIX)[0])
        if var is not None and var.error_clip is not None:
            if not hasattr(var.error_clip, "_append_clip_op"):
                kind = type(var.error_clip).__name__
                raise DtypeError(f"error_clip of {name} must be an ErrorClipByValue, got {kind}")
            var.error_clip._append_clip_op(block, grad_name)
