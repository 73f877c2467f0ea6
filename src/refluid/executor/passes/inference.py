"""The passes for plans that train nothing: parameters may then be prepared once and kept."""

from __future__ import annotations

from collections.abc import Callable

import torch

from refluid.executor.derived import Derived
from refluid.executor.passes.batch_norm import fold_batch_norms
from refluid.executor.passes.convolution import pack_convolutions
from refluid.executor.step import Step


def trains(steps: list[Step]) -> bool:
    """Whether a step computes a gradient or updates a parameter."""
    return any(step.op.forward is not None or "Param" in step.op.input_index or trains(step.body) for step in steps)


def prepare_parameters(
    steps: list[Step], feeds: set[str], fetches: set[str], persistable: Callable[[str], bool], device: torch.device
) -> tuple[list[Step], dict[str, Derived]]:
    """The rewritten steps and what they read that is made from parameters; see Note [Values made from parameters]."""
    derived: dict[str, Derived] = {}
    if not trains(steps):
        steps = fold_batch_norms(steps, fetches, persistable, derived)
        steps = pack_convolutions(steps, feeds, fetches, persistable, device, derived)
    return steps, derived
