"""ATen's backward kernels and autograd's engine, which torch does not name in its public namespace.

`threshold_backward(grad, x, 0)` is one pass over the data where `torch.where(x > 0, grad, 0)` is two, and a call of
the resolved overload costs a fraction of what the overload packet does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.autograd.graph import _engine_run_backward


def aten(name: str, overload: str = "default") -> Callable[..., Any]:
    """The resolved ATen operator `name`, without the Python object around it, which costs half a microsecond a call."""
    return getattr(getattr(torch.ops.aten, name), overload)._op


def backward(
    outs: Sequence[torch.Tensor],
    grads: Sequence[torch.Tensor],
    leaves: Sequence[torch.Tensor],
    create_graph: bool = False,
) -> list[torch.Tensor | None]:
    """torch.autograd.grad without its checks of shapes, which import sympy; the gradients have the outputs' shapes."""
    return list(
        _engine_run_backward(
            tuple(outs), tuple(grads), create_graph, create_graph, tuple(leaves), True, accumulate_grad=False
        )
    )
