"""Topological order of nodes: values before their readers."""

from __future__ import annotations

import heapq

from refluid.executor.graph.node import Node


def in_order(nodes: list[Node]) -> list[Node] | None:
    """`nodes` reordered as little as possible so that values come before their readers; None if there is no such order.

    Readers of a value come before the node that overwrites it. Nodes that draw random numbers keep their order, and
    nothing moves across a node that has a body or does something besides.
    """
    result: list[Node] = []
    segment: list[Node] = []
    for node in (*nodes, None):
        if node is not None and node.body is None and not node.op.side_effect:
            segment.append(node)
            continue
        ordered = _sorted(segment)
        if ordered is None:
            return None
        result += ordered if node is None else [*ordered, node]
        segment = []
    return result


def _sorted(nodes: list[Node]) -> list[Node] | None:
    place = {node: i for i, node in enumerate(nodes)}
    waits: list[set[int]] = [set() for _ in nodes]
    last_random: int | None = None
    for i, node in enumerate(nodes):
        for value in node.reads():
            if value.maker in place:
                waits[i].add(place[value.maker])
        for value in node.writes():
            if value.base is not None:  # all readers of the previous value come before
                waits[i].update(place[reader] for reader in value.base.readers if reader in place)
        if node.op.random or "rng" in node.op.engine:  # the numbers are those of the program's order
            if last_random is not None:
                waits[i].add(last_random)
            last_random = i
        waits[i].discard(i)
    readers: dict[int, list[int]] = {}
    for i, needs in enumerate(waits):
        for needed in needs:
            readers.setdefault(needed, []).append(i)
    ready = [i for i, needs in enumerate(waits) if not needs]
    ordered = []
    while ready:
        i = heapq.heappop(ready)
        ordered.append(nodes[i])
        for reader in readers.get(i, ()):
            waits[reader].discard(i)
            if not waits[reader]:
                heapq.heappush(ready, reader)
    return ordered if len(ordered) == len(nodes) else None
