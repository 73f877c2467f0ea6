"""Passes over the graph of a plan: what makes it fast, and never changes what it computes."""

from __future__ import annotations

import os
from collections.abc import Callable

import torch

from refluid.executor.graph.build import graph_of
from refluid.executor.graph.region import Graph
from refluid.executor.graph.verify import verify
from refluid.executor.network.layers import Description
from refluid.executor.network.read import describe
from refluid.executor.passes.accumulate import accumulate
from refluid.executor.passes.batch_norm import fold_batch_norms
from refluid.executor.passes.bias import fuse_bias
from refluid.executor.passes.constants import fold_constants
from refluid.executor.passes.dead_code import drop_dead
from refluid.executor.passes.early_updates import update_early
from refluid.executor.passes.hidden import link_hidden_outputs
from refluid.executor.passes.inference import prepare_parameters, trains
from refluid.executor.passes.inplace import compute_in_place
from refluid.executor.passes.mean_squares import fuse_mean_squares
from refluid.executor.passes.rectify_last import rectify_last
from refluid.executor.passes.recurrence import hoist_inputs
from refluid.executor.passes.updates import merge_updates
from refluid.executor.passes.weight_gradients import stack_weight_gradients
from refluid.ir.block import Block

Pass = Callable[[Graph], None]

# Passes of folders after this one: distributed merges sums of gradients.
of_other_folders: list[Pass] = []
# Whether every pass is followed by `verify`; it is in the tests, and in the processes that they start.
checked = bool(os.environ.get("REFLUID_VERIFY_PLANS"))


def run_passes(graph: Graph, device: torch.device, optimize: bool = True) -> None:
    """Rewrite the graph; without `optimize`, only drop what nobody reads."""
    if not optimize:
        _run(graph, [drop_dead])
        return
    _run(graph, [link_hidden_outputs, drop_dead, *of_other_folders, fuse_bias, fuse_mean_squares])
    _run(graph, [stack_weight_gradients, accumulate, hoist_inputs])
    _run(graph, [lambda graph: prepare_parameters(graph, device), rectify_last, compute_in_place])
    _run(graph, [lambda graph: fold_constants(graph, device), update_early, merge_updates])


def describe_network(block: Block, feeds: tuple[str, ...], fetches: tuple[str, ...]) -> Description | None:
    """The convolutional network that a block is, as a plan would see it; None if it is none."""
    graph = graph_of(block, feeds, fetches)
    _run(graph, [link_hidden_outputs, drop_dead, fuse_bias])
    if trains(graph):
        return None
    _run(graph, [fold_batch_norms])
    return describe(graph)


def _run(graph: Graph, passes: list[Pass]) -> None:
    for one in passes:
        one(graph)
        if checked:
            verify(graph)
