"""What neighbouring nodes read that others have made."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.executor.graph.node import Node
from refluid.executor.graph.value import Value


def outside_reads(nodes: Sequence[Node]) -> tuple[list[Value], list[Value]]:
    """The values that are read, and those whose shapes alone are, in the order of their use."""
    written: set[Value] = set()
    values: dict[Value, None] = {}
    shapes: dict[Value, None] = {}
    for node in nodes:
        by_value, by_shape = node.split_reads()
        values.update(dict.fromkeys(by_value))
        shapes.update(dict.fromkeys(by_shape))
        written.update(node.writes())
    return (
        [value for value in values if value not in written],
        [value for value in shapes if value not in written and value not in values],
    )
