"""What neighbouring nodes read that others have made."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.executor.graph.node import Node
from refluid.executor.graph.value import Value


def outside_reads(nodes: Sequence[Node]) -> tuple[list[Value], list[Value]]:
    """The values that are read, and those whose shapes alone are, in the order of their use."""
    written = {value for node in nodes for value in node.writes()}
    values = dict.fromkeys(value for node in nodes for value in node.value_reads() if value not in written)
    shapes = dict.fromkeys(value for node in nodes for value in node.shape_reads() if value not in written)
    return list(values), [value for value in shapes if value not in values]
