"""The passes for plans that train nothing: parameters may then be prepared once and kept."""

from __future__ import annotations

import torch

from refluid.executor.graph.region import Graph, all_nodes
from refluid.executor.network.find import find_network
from refluid.executor.passes.batch_norm import fold_batch_norms
from refluid.executor.passes.convolution import pack_convolutions


def trains(graph: Graph) -> bool:
    """Whether a node computes a gradient or updates a parameter."""
    return any(node.op.forward is not None or "Param" in node.op.input_index for node in all_nodes(graph))


def prepare_parameters(graph: Graph, device: torch.device) -> None:
    """Let nodes read what is made from parameters; see Note [Values made from parameters]."""
    if not trains(graph):
        fold_batch_norms(graph)
        find_network(graph, device)
        pack_convolutions(graph, device)
