"""Updates large parameters while the backward pass runs, so that their gradients need not be kept until its end."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator

from refluid.core import flags
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph

# Elements of the gradients that one call updates with. Fewer calls cost less time, earlier ones less memory.
ENOUGH = 4_000_000


def update_early(graph: Graph) -> None:
    """Move updates, some at a time, behind what they need; gradients that nobody else reads are freed there.

    Small programs stay as they are. Under FLAGS_check_nan_inf, nothing is updated before all gradients are checked.
    """
    updates = [node for node in graph.nodes if node.op.rules.fused is not None and node.kernel is None]
    if sum(map(_size, updates)) < 2 * ENOUGH or flags.get("FLAGS_check_nan_inf"):
        return
    place = {node: i for i, node in enumerate(graph.nodes)}
    fences = [i for node, i in place.items() if _is_fence(node)]
    chains = {node: _chain(node, place) for node in updates}
    ends = {node: _end(node, chains[node], place, fences) for node in updates}
    moved: dict[int, list[Node]] = {}  # behind the node at a position
    for end, group in _groups(sorted(updates, key=lambda node: (ends[node], place[node])), place, ends):
        ahead = {one for node in group for one in chains[node] if place[one] > end}.difference(group)
        moved.setdefault(end, []).extend([*sorted(ahead, key=place.__getitem__), *group])
    elsewhere = {node for nodes in moved.values() for node in nodes}
    result = []
    for i, node in enumerate(graph.nodes):
        if node not in elsewhere:
            result.append(node)
        result += moved.get(i, [])
    graph.set(result)


def _groups(updates: list[Node], place: dict[Node, int], ends: dict[Node, int]) -> Iterator[tuple[int, list[Node]]]:
    """Updates with gradients of enough elements, and the position that they can move behind; the last ones stay."""
    group: list[Node] = []
    for node in updates:
        if any(place[one] <= ends[node] for one in group):
            group = []  # would have to wait: somebody may read what they update
        group.append(node)
        if sum(map(_size, group)) >= ENOUGH:
            yield ends[node], group
            group = []


def _size(update: Node) -> int:
    """Elements of the parameter; 0 if only a run tells."""
    param = update.inputs[update.op.input_index["Param"]][0]
    return 0 if param is None else max(0, math.prod(param.shape))


def _is_fence(node: Node) -> bool:
    """Whether nothing moves across it."""
    return node.body is not None or node.op.side_effect


def _chain(update: Node, place: dict[Node, int]) -> set[Node]:
    """The update, and what is computed for it alone, such as the decay of its parameter."""
    chain, waiting = {update}, [update]
    while waiting:
        for value in waiting.pop().reads():
            maker = value.maker
            if maker is None or maker not in place or maker in chain or _is_fence(maker) or "rng" in maker.op.engine:
                continue
            if all(set(made.readers) <= chain for made in maker.writes()):
                chain.add(maker)
                waiting.append(maker)
    return chain


def _end(update: Node, chain: set[Node], place: dict[Node, int], fences: list[int]) -> int:
    """Position of the last node that a chain has to come behind."""
    needed = {node for one in chain for node in _needs(one)} - chain
    fence = bisect.bisect_left(fences, place[update])
    return max([0, *(place[node] for node in needed if node in place), *fences[fence - 1 : fence]])


def _needs(node: Node) -> Iterator[Node]:
    for value in node.reads():
        if value.maker is not None:
            yield value.maker
    for value in node.writes():
        if value.base is not None:  # those who read what it overwrites
            yield from value.base.readers
