"""Passes over the steps of a plan: what makes it fast, and never changes what it computes."""

from __future__ import annotations

from collections.abc import Callable

import torch

from refluid.executor.derived import Derived
from refluid.executor.passes.accumulate import accumulate
from refluid.executor.passes.bias import fuse_bias
from refluid.executor.passes.blocks import link_blocks
from refluid.executor.passes.constants import fold_constants
from refluid.executor.passes.dead_code import drop_dead
from refluid.executor.passes.hidden import link_hidden_outputs
from refluid.executor.passes.inference import prepare_parameters
from refluid.executor.passes.inplace import compute_in_place
from refluid.executor.passes.layout import channels_last_names
from refluid.executor.passes.mean_squares import fuse_mean_squares
from refluid.executor.passes.rectify_last import rectify_last
from refluid.executor.passes.recurrence import hoist_inputs
from refluid.executor.passes.updates import merge_updates
from refluid.executor.passes.weight_gradients import stack_weight_gradients
from refluid.executor.step import Step
from refluid.ir.block import Block

# Passes of folders after this one, (steps, block) -> steps: distributed merges sums of gradients.
of_other_folders: list[Callable[[list[Step], Block], list[Step]]] = []


def run_passes(
    steps: list[Step], block: Block, feeds: set[str], fetches: set[str], device: torch.device, optimize: bool = True
) -> tuple[list[Step], set[str], dict[str, Derived]]:
    """The rewritten steps, the persistables to be kept in channels_last layout, and what is made from parameters."""

    def persistable(name: str) -> bool:
        var = block.find_var(name)
        return var is not None and var.persistable

    if optimize:
        link_hidden_outputs(steps)
    steps = drop_dead(steps, fetches, persistable)
    link_blocks(steps, persistable)
    if not optimize:
        return steps, set(), {}
    for one in of_other_folders:
        steps = one(steps, block)
    steps = fuse_bias(steps, fetches, persistable)
    steps = fuse_mean_squares(steps, fetches, persistable)
    steps = stack_weight_gradients(steps, fetches, persistable)
    steps = accumulate(steps, fetches, persistable)
    steps = hoist_inputs(steps, fetches, persistable)
    steps, derived = prepare_parameters(steps, feeds, fetches, persistable, device)
    steps = rectify_last(steps, fetches, persistable)
    steps = compute_in_place(steps, feeds, fetches, persistable)
    layout = channels_last_names(steps, block)
    return merge_updates(fold_constants(steps, persistable, device)), layout, derived
