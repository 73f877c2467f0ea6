"""Running many updates of one kind at once; both modes use it."""

from __future__ import annotations

from typing import Any

import torch

from refluid.ops.registry import OpDef


def run_fused(op: OpDef, lists: tuple[Any, ...], attrs: dict[str, Any]) -> None:
    """Update many parameters. `lists` holds, per input slot of `op`, one value per parameter (None: slot absent).

    Dense gradients go to the fused kernel in one call; sparse ones (SelectedRows) to that for sparse ones, or to the
    kernel one by one.
    """
    grads = lists[op.input_index["Grad"]]
    fused = op.rules.fused
    if fused is not None and all([type(grad) is torch.Tensor for grad in grads]):
        fused(*lists, **attrs)
        return
    dense = [isinstance(grad, torch.Tensor) for grad in grads]
    for kernel, wanted in ((op.rules.fused_sparse, False), (fused, True)):
        positions = [i for i, is_dense in enumerate(dense) if is_dense is wanted]
        if kernel is not None and positions:
            kernel(*(values and [values[i] for i in positions] for values in lists), **attrs)
        else:
            for i in positions:
                op.kernel(*(values and values[i] for values in lists), **attrs)
