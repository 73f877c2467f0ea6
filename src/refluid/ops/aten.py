"""ATen's backward kernels, which torch does not name in its public namespace.

`threshold_backward(grad, x, 0)` is one pass over the data where `torch.where(x > 0, grad, 0)` is two, and a call of
the resolved overload costs a fraction of what the overload packet does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def aten(name: str, overload: str = "default") -> Callable[..., Any]:
    """The resolved ATen operator `name`, without the Python object around it, which costs half a microsecond a call."""
    return getattr(getattr(torch.ops.aten, name), overload)._op
