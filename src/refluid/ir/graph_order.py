"""Questions about a whole graph: the order in which its operators can run, cycles, connected components."""

from __future__ import annotations

from collections.abc import Iterable

from refluid.core.errors import ArgumentError
from refluid.ir.graph import Graph, Node


def build_adjacency_list(graph: Graph) -> dict[Node, set[Node]]:
    """For each operator those whose values it waits for."""
    return {
        node: {writer for value in node.inputs for writer in value.inputs}
        for node in graph.ordered_nodes()
        if node.is_op()
    }


def topology_sort(graph: Graph) -> list[Node]:
    """The operators, each after those that it waits for, and else as they were made."""
    waits_for = build_adjacency_list(graph)
    done: dict[Node, bool] = {}  # False while what it waits for is being sorted
    order: list[Node] = []
    for node in waits_for:
        todo = [(node, iter(_by_number(waits_for[node])))] if node not in done else []
        done.setdefault(node, False)
        while todo:
            waiting, left = todo[-1]
            for earlier in left:
                if earlier not in done:
                    done[earlier] = False
                    todo.append((earlier, iter(_by_number(waits_for.get(earlier, ())))))
                    break
                if not done[earlier]:
                    raise ArgumentError(f"the graph has a cycle through {waiting.name()}")
            else:
                todo.pop()
                done[waiting] = True
                order.append(waiting)
    return order


def has_circle(graph: Graph) -> bool:
    try:
        topology_sort(graph)
    except ArgumentError:
        return True
    return False


def graph_num(graph: Graph) -> int:
    """The number of connected components."""
    seen: set[Node] = set()
    parts = 0
    for start in graph.ordered_nodes():
        todo = [start] if start not in seen else []
        parts += len(todo)
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo += [*node.inputs, *node.outputs]
    return parts


def _by_number(nodes: Iterable[Node]) -> list[Node]:
    return sorted(nodes, key=Node.id)
