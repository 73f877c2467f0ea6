"""Error clipping: the gradient of a variable is clipped on its way back through the network."""

from __future__ import annotations

from refluid.core.errors import DtypeError, NotDefinedError
from refluid.ir.block import Block
from refluid.ops.signature import GRAD_SUFFIX


class BaseErrorClipAttr:
    """Base of what clips the gradient of one variable; a class of your own has `_append_clip_op`."""

    def _append_clip_op(self, block: Block, grad_name: str) -> None:
        raise NotDefinedError(f"{type(self).__name__} must have _append_clip_op(block, grad_name)")


class ErrorClipByValue(BaseErrorClipAttr):
    """Clip every element of the gradient of one variable: `var.error_clip = ErrorClipByValue(max=1)`.

    Args:
        max: the upper limit.
        min: the lower limit; -max if None.
    """

    def __init__(self, max: float, min: float | None = None):
        self.max = float(max)
        self.min = -self.max if min is None else float(min)

    def _append_clip_op(self, block: Block, grad_name: str) -> None:
        block.append_op("clip", {"X": grad_name}, {"Out": grad_name}, {"min": self.min, "max": self.max})

    def __str__(self) -> str:
        return f"ByValue, min={self.min:f}, max={self.max:f}"


def error_clip_callback(block: Block, context: dict[str, str]) -> None:
    """After each gradient operator: clip what it wrote, where the variable has an error_clip.

    Args:
        block: the block that the gradient operators go into.
        context: {name of a variable: name of the gradient that was just written}.

    Returns:
        None.
    """
    for name, grad_name in context.items():
        var = block.find_var(name.split(GRAD_SUFFIX)[0])
        if var is not None and var.error_clip is not None:
            if not hasattr(var.error_clip, "_append_clip_op"):
                kind = type(var.error_clip).__name__
                raise DtypeError(f"error_clip of {name} must be an ErrorClipByValue, got {kind}")
            var.error_clip._append_clip_op(block, grad_name)
