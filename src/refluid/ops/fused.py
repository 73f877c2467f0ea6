"""Running many updates of one kind at once; both modes use it."""

from __future__ import annotations

from typing import Any

import torch

from refluid.ops.registry import OpDef


def run_fused(op: OpDef, lists: tuple[Any, ...], attrs: dict[str, Any]) -> None:
    """Update many parameters. `lists` holds, per input slot of `op`, one value per parameter (None: slot absent).

    Dense gradients go to the fused kernel in one call; sparse ones (SelectedRows) to the kernel one by one.
    """
    grads = lists[op.input_index["Grad"]]
    fused = op.fused_kernel
    if fused is None or not all([type(grad) is torch.Tensor for grad in grads]):
        sparse = [i for i, grad in enumerate(grads) if not isinstance(grad, torch.Tensor)]
        dense = [] if fused is None else [i for i in range(len(grads)) if i not in set(sparse)]
        for i in sparse if fused is not None else range(len(grads)):
            op.kernel(*(values and values[i] for values in lists), **attrs)
        if dense:
            fused(*(values and [values[i] for i in dense] for values in lists), **attrs)
        return
    fused(*lists, **attrs)
