"""Computes constants once: a `fill_constant` with fixed attributes gives the same tensor every run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import torch

from refluid.core.errors import EnforceNotMet
from refluid.executor.step import Step


def fold_constants(steps: list[Step], persistable: Callable[[str], bool], device: torch.device) -> list[Step]:
    """The seeds of gradients and the numbers of a program become values that the plan holds.

    Not those that somebody writes over, nor large ones, which would stay in memory between runs.
    """
    writes = Counter(name for step in steps for name in step.writes())
    changed = {
        name
        for step in steps
        for part in (step, *step.merged)
        for source in part.op.inplace.values()
        for name in part.inputs[source]
    }
    for step in steps:
        if step.op.type != "fill_constant" or step.kernel is not None or any(step.inputs) or not step.outputs[0]:
            continue
        name = step.outputs[0][0] or ""
        if persistable(name) or writes[name] > 1 or name in changed:
            continue
        try:
            value = step.op.kernel(None, None, None, **step.attrs, device=device)
        except EnforceNotMet:
            continue  # the plan's line will say what is wrong, and where it was built
        if value.numel() <= 1024:
            step.constant = value
    return steps
