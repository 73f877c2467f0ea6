"""fluid.dygraph_grad_clip of 1.5: the same clips under other names, for `minimize(loss, grad_clip=...)`."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.optim.clip import GradientClipByGlobalNorm, GradientClipByNorm, GradientClipByValue


class GradClipByValue(GradientClipByValue):
    """Every element between min_value and max_value; min_value None means -max_value."""

    def __init__(self, min_value: float | None, max_value: float | None = None):
        if max_value is None:
            if min_value is None:
                raise ArgumentError("GradClipByValue: min_value and max_value must not both be None")
            min_value, max_value = -abs(min_value), abs(min_value)
        super().__init__(max_value, min_value)


class GradClipByNorm(GradientClipByNorm):
    """Each gradient scaled down to the norm clip_norm if its own is greater."""

    def __init__(self, clip_norm: float):
        super().__init__(clip_norm)


class GradClipByGlobalNorm(GradientClipByGlobalNorm):
    """All gradients scaled by one factor, so that the norm of all together is at most max_global_norm."""

    def __init__(self, max_global_norm: float):
        super().__init__(max_global_norm)
