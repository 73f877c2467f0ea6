"""What a graph must be like, whatever a pass has done to it; runs after every pass in the tests."""

from __future__ import annotations

from collections.abc import Iterable

from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Body, Graph, Region, all_nodes
from refluid.executor.graph.value import Value, present


class BrokenGraph(AssertionError):
    """A pass has left an invalid graph."""


def verify(graph: Graph) -> None:
    """Refuse a graph whose values are read before they are computed, computed twice, or read after an overwrite."""
    initial = {*graph.feeds.values(), *graph.states.values(), *graph.missing.values(), *graph.derived}
    for value in initial:
        if value.maker is not None:
            raise BrokenGraph(f"{value} comes from outside, but {value.maker} computes it")
    defined = set(initial)
    _verify_region(graph, defined, set())
    for value in graph.fetches:
        if value not in defined:
            raise BrokenGraph(f"{value} is fetched, but nothing computes it")
    _verify_readers(graph)


def _verify_region(region: Region, defined: set[Value], overwritten: set[Value]) -> None:
    """`defined` are the values that exist, `overwritten` those whose memory holds another value by now."""
    for node in region.nodes:
        if node.region is not region:
            raise BrokenGraph(f"{node} is in a region that it does not belong to")
        _verify_slots(node)
        for value in present(node.inputs):
            _verify_read(node, value, defined, overwritten)
        if node.body is not None:
            _verify_body(node, node.body, defined, overwritten)
        for base in node.overwrites() if node.body is None else ():
            if base not in set(present(node.inputs)):
                raise BrokenGraph(f"{node} overwrites {base}, which it does not read")
        overwritten.update(node.overwrites())
        for value in node.writes():
            if value.maker is not node:
                raise BrokenGraph(f"{value} is an output of {node}, but its maker is {value.maker}")
            if value in defined:
                raise BrokenGraph(f"{value} is computed twice, the second time by {node}")
            defined.add(value)


def _verify_read(node: Node, value: Value, defined: set[Value], overwritten: set[Value]) -> None:
    if value not in defined:
        raise BrokenGraph(f"{node} reads {value} before it is computed")
    if value in overwritten and value in set(node.value_reads()):  # its shape is what it was
        raise BrokenGraph(f"{node} reads {value} after it was overwritten")
    if node not in value.readers:
        raise BrokenGraph(f"{node} reads {value}, but is not among its readers")


def _verify_slots(node: Node) -> None:
    extra = 1 if node.body is not None or len(node.inputs) > len(node.op.inputs) else 0
    if len(node.inputs) != len(node.op.inputs) + extra:
        raise BrokenGraph(f"{node} has {len(node.inputs)} lists of inputs, but {len(node.op.inputs)} slots")
    if node.body is None and len(node.outputs) != len(node.op.outputs):
        raise BrokenGraph(f"{node} has {len(node.outputs)} lists of outputs, but {len(node.op.outputs)} slots")


def _verify_body(node: Node, body: Body, defined: set[Value], overwritten: set[Value]) -> None:
    lengths = {len(node.inputs[-1]), len(node.outputs[-1]), len(body.carried_results)}
    if len(lengths) > 1 or (body.is_loop and len(body.carried) not in lengths):
        raise BrokenGraph(f"{node} carries other variables into its body than out of it")
    inside = defined | set(body.inputs())
    _verify_region(body, inside, set(overwritten))
    _verify_results(node, body.outputs(), inside)
    if body.forward is not None and body.forward.body is not None and body.is_loop:
        unsaved = [value for value in body.saved_params if value not in body.forward.body.saved]
        if unsaved and body.forward.body.gradients:
            raise BrokenGraph(f"{node} reads {unsaved[0]} of an iteration that does not save it")


def _verify_results(node: Node, results: Iterable[Value], inside: set[Value]) -> None:
    for value in results:
        if value not in inside:
            raise BrokenGraph(f"the body of {node} returns {value}, but nothing in it computes it")


def _verify_readers(graph: Graph) -> None:
    nodes = set(all_nodes(graph))
    for node in nodes:
        for value in (*present(node.inputs), *node.writes()):
            for reader in value.readers:
                if reader not in nodes or all(one is not value for one in present(reader.inputs)):
                    raise BrokenGraph(f"{value} counts {reader} among its readers, which does not read it")
