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
    fused = op.rules.fused
    if fused is not None and all([type(grad) is torch.Tensor for grad in grads]):
        fused(*lists, **attrs)
        return
    dense = [i for i, grad in enumerate(grads) if fused is not None and isinstance(grad, torch.Tensor)]
    for i in sorted(set(range(len(grads))).difference(dense)):
        op.kernel(*(values and values[i] for values in lists), **attrs)
    if fused is not None and dense:
        fused(*(values and [values[i] for i in dense] for values in lists), **attrs)
