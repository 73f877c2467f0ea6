"""Which persistables to keep in channels_last memory format: convolution filters and their optimizer state.

Convolutions are fastest on it, activations follow the filter's format by themselves, and updates stay in one pass when
parameter, gradient and state have one format. The shapes that users see do not change.
"""

from __future__ import annotations

from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value


def channels_last_names(graph: Graph) -> set[str]:
    filters: dict[str, Value] = {}
    for node in graph.nodes:
        if node.op.convolution is not None and node.op.convolution.axes == 2:
            value = node.input("Filter")
            if value is not None and value.persistable:
                filters[value.name] = value
    names = set(filters)
    for node in graph.nodes:
        if "Param" not in node.op.input_index:
            continue
        for values in node.updates():
            shape = next((filters[value.name].shape for value in values if value.name in filters), None)
            names.update(value.name for value in values if value.persistable and value.shape == shape)
    return names
