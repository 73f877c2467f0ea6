"""fluid.dygraph_grad_clip of 1.5: the same clips under other names, for `minimize(loss, grad_clip=...)`."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.optim.clip import GradientClipByGlobalNorm, GradientClipByNorm, GradientClipByValue


class GradClipByValue(GradientClipByValue):
    """Clip every element of the gradients to [min_value, max_value].

    Args:
        min_value: the lower limit; -max_value if None.
        max_value: the upper limit; if None the limits are -|min_value| and |min_value|.
    """

    def __init__(self, min_value: float | None, max_value: float | None = None):
        if max_value is None:
            if min_value is None:
                raise ArgumentError("GradClipByValue: min_value and max_value must not both be None")
            min_value, max_value = -abs(min_value), abs(min_value)
        super().__init__(max_value, min_value)


class GradClipByNorm(GradientClipByNorm):
    """Scale each gradient by clip_norm / max(norm, clip_norm), norm being its own L2 norm.

    Args:
        clip_norm: the largest L2 norm of a gradient.
    """

    def __init__(self, clip_norm: float):
        super().__init__(clip_norm)


class GradClipByGlobalNorm(GradientClipByGlobalNorm):
    """Scale all gradients by max_global_norm / max(norm, max_global_norm), norm being the L2 norm of all together.

    Args:
        max_global_norm: the largest global norm.
    """

    def __init__(self, max_global_norm: float):
        super().__init__(max_global_norm)
