"""Lets a plan that is a convolutional network run as one call of C++ code."""

from __future__ import annotations

from functools import partial

import torch

from refluid.executor.derived import Derived
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value
from refluid.executor.network.network import Network
from refluid.executor.network.read import describe
from refluid.native import call as native


def find_network(graph: Graph, device: torch.device) -> None:
    """Give the graph a network if it is one and the C++ code is there; its nodes stay, for inputs it does not take."""
    if device.type != "cpu":
        return
    description = describe(graph)
    if description is not None and native.available():
        graph.network = Value("network")
        graph.derived[graph.network] = Derived(partial(Network, description=description), tuple(description.parameters))
