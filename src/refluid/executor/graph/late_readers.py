"""Copies for readers that stand behind an overwrite of what they read.

Note [Reads behind an overwrite]
    A node may stand anywhere behind what it reads. Where another one overwrites the memory of a value in between, or
    that which the value is a view of, the late readers read a copy from before the overwrite: `copy_for_late_readers`
    runs when a graph is built, when it is known what iterations keep for gradients, and whenever a pass puts other
    nodes into the graph. So a pass need not ask about that, but one that would rather leave its match alone than cause
    a copy may (`Value.overwriters`).

    Bodies are part of it. What is read inside one behind an overwrite there is copied there; so is what a loop keeps of
    an iteration (outputs, and what its gradient reads), if the next one overwrites it. A loop that overwrites what it
    captures a view of captures a copy. A view that one iteration hands to the next is followed until nothing is new.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import torch

from refluid.executor.graph.node import Node
from refluid.executor.graph.value import Value, present
from refluid.ops.registry import define
from refluid.ops.shape.assign import assign
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.tensor_array import LoDTensorArray

if TYPE_CHECKING:
    from refluid.executor.graph.region import Body, Graph, Region


def _copied(X: Any) -> Any:
    if isinstance(X, LoDTensorArray):
        return LoDTensorArray(
            [LoDTensor() if one.t is None else LoDTensor.of(one.t.clone(), one.lod_value) for one in X]
        )
    if isinstance(X, list | tuple) and not isinstance(X, torch.Size):  # the iterations of a loop, and one of them
        return type(X)(map(_copied, X))
    return X.clone() if isinstance(X, torch.Tensor) else X


# Not registered: it exists in plans only. It copies what bodies give, which may be None, and the elements of arrays.
CopyAll = define(_copied, "Out", type="copy_all", nograd="*")


def copy_for_late_readers(graph: Graph) -> None:
    """Let what is read behind an overwrite be a copy; see Note [Reads behind an overwrite]."""
    nodes = _nodes(graph)
    changes = [node for node in nodes if node.body is None and (node.over is not None or node.op.inplace)]
    overwritten = {node: values for node in changes if (values := set(node.overwrites()))}
    if overwritten:
        copies = Copies(graph, overwritten, [node for node in reversed(nodes) if node.body is not None])
        copies.insert(graph, [value for value in copies.shares if value.maker is None])


class Copies:
    """`shares` tells of values in which of the overwritten memories they may be, by the first value in each."""

    def __init__(self, graph: Graph, overwritten: dict[Node, set[Value]], with_bodies: list[Node]):
        self.graph = graph
        self.overwritten = overwritten
        tensors = {value.storage for values in overwritten.values() for value in values if not value.is_array}
        for node in with_bodies:  # inner loops first
            carried = zip(node.body.carried, node.inputs[-1], strict=False) if node.body is not None else ()
            tensors.update(before.storage for param, before in carried if before is not None and param in tensors)
        self.shares: dict[Value, set[Value]] = {value: {value} for value in tensors}
        if tensors:
            self._follow(graph)

    # -- who may be in the memory of whom -----------------------------------------------------------------------------

    def _follow(self, region: Region) -> bool:
        """Whether something new was found."""
        new = False
        for node in region.nodes:
            if node.body is not None:
                new |= self._of_body(node, node.body)
            elif node.op.views or node.op.inplace:
                new |= self._of_call(node)
        return new

    def _of_call(self, node: Node) -> bool:
        viewed = [value for slot in node.op.views for value in node.inputs[slot] if value is not None]
        new = False
        for value in node.writes():
            if value.base is not None:
                new |= self._add(value, [value.base])
            if viewed and (value.base is None or value.is_array) and not value.persistable:  # those are stored copies
                new |= self._add(value, [source for source in viewed if _may_share(value, source)])
        return new

    def _of_body(self, node: Node, body: Body) -> bool:
        new = any([self._add(param, body_inputs) for param, body_inputs in _entering(node, body)])
        while self._follow(body) | any([self._add(to, [of]) for to, of in _next(body)]):
            new = True
        for before, after, result in zip(node.inputs[-1], node.outputs[-1], body.carried_results, strict=True):
            assert after is not None
            new |= self._add(after, [result] if before is None else [before, result])
        kept = [*present([body.results]), *body.saved, *body.saved_outside]
        return any([self._add(value, kept) for value in present(node.outputs[:-1])]) or new

    def _add(self, value: Value, sources: Iterable[Value]) -> bool:
        memories = {one for source in sources for one in self.shares.get(source, ())}
        known = self.shares.get(value, set())
        if memories <= known:
            return False
        self.shares[value] = known | memories
        return True

    def _changed(self, node: Node) -> tuple[set[Value], set[Value]]:
        """The values that a node overwrites, and the memories in which others may be as well."""
        if node.body is None:
            inside = exactly = self.overwritten[node]
        else:
            inside = {value for inner in _nodes(node.body) for value in self.overwritten.get(inner, ())}
            exactly = set(node.overwrites()) if inside else inside
        # A write to an array replaces an element, and leaves the old one as it was.
        return exactly, {one for value in inside if not value.is_array for one in self.shares[value]}

    # -- copies ---------------------------------------------------------------------------------------------------

    def insert(self, region: Region, entering: Iterable[Value]) -> None:
        """Put copies into a region. Of what it reads of outside, `entering` may be in memory that it overwrites."""
        holders: dict[Value, list[Value]] = {}  # by memory, the values so far that may be in it
        self._hold(holders, entering)
        overwriters: dict[Value, Node] = {}  # of values that are not in memory any more
        for node in list(region.nodes):
            for value in _late(node, overwriters) if overwriters else ():
                self._copy(region, overwriters.pop(value), value)
            if node in self.overwritten or node.body is not None:
                exactly, memories = self._changed(node)
                if node.body is not None:
                    self._insert_inside(region, node, node.body, memories)
                for values in (exactly, *(holders.pop(memory, ()) for memory in memories)):
                    for value in values:
                        overwriters.setdefault(value, node)
            if node.op.views or node.body is not None:
                self._hold(holders, node.writes())
        for value in region.finally_read():
            if value in overwriters:
                self._copy(region, overwriters.pop(value), value)

    def _hold(self, holders: dict[Value, list[Value]], values: Iterable[Value]) -> None:
        for value in values:
            for memory in self.shares.get(value, ()):
                holders.setdefault(memory, []).append(value)

    def _insert_inside(self, region: Region, node: Node, body: Body, memories: set[Value]) -> None:
        captured = [value for value in body.captures()[0] if value in self.shares]
        if body.is_loop:
            for value in captured:
                if self.shares[value] & memories:
                    self._copy(region, node, value, for_itself=True)
        self.insert(body, [*body.inputs(), *captured])
        if not body.is_loop:
            return
        for value in dict.fromkeys([*present([body.results]), *body.saved]):
            if self.shares.get(value, set()) & memories and body.saved.get(value) != "shape":
                copy = self._copy_of(value)
                body.append(Node(_copier(value), node.operator, [[value]], [[copy]], {}))
                body.keep_in_place_of(value, copy, self.graph)

    def _copy(self, region: Region, overwriter: Node, value: Value, for_itself: bool = False) -> None:
        """Let all nodes behind one, and perhaps what runs inside it, read a copy of a value from before it."""
        position = region.nodes.index(overwriter)
        copy = self._copy_of(value)
        if for_itself and overwriter.body is not None:
            _replace_inside(overwriter.body, value, copy, self.graph)
        for late in region.nodes[position + 1 :]:
            _replace_input(late, value, copy, self.graph)
        node = Node(_copier(value), overwriter.operator, [[value]], [[copy]], {})
        region.nodes.insert(position, region.adopt(node))
        region.finally_replace(value, copy, self.graph)

    def _copy_of(self, value: Value) -> Value:
        return Value(f"{value.name}@COPY", None if value.persistable else value.variable)


def _nodes(region: Region) -> list[Node]:
    """The nodes and those of their bodies, in order."""
    nodes: list[Node] = []
    for node in region.nodes:
        nodes.append(node)
        if node.body is not None:
            nodes += _nodes(node.body)
    return nodes


def _entering(node: Node, body: Body) -> Iterator[tuple[Value, list[Value]]]:
    """The values that a body begins with, and what they may be views of."""
    inputs = list(present(node.inputs[:-1]))
    for param in body.params:
        yield param, inputs
    for param, before in zip(body.carried, node.inputs[-1], strict=False):
        if before is not None:
            yield param, [before]
    for value, param in body.saved_params.items():
        yield param, [value]


def _next(body: Body) -> Iterator[tuple[Value, Value]]:
    """What the next iteration begins with, and what this one leaves for it."""
    if body.is_loop:
        yield from zip(body.carried, body.carried_results, strict=True)
        yield from ((param, value) for param in body.params for value in present([body.results]))


def _may_share(value: Value, source: Value) -> bool:
    """Whether both may be in the same memory: a cast to another dtype is a copy."""
    return value.variable is None or source.variable is None or value.variable.dtype == source.variable.dtype


def _copier(value: Value) -> Any:
    return CopyAll if value.may_be_none or value.is_array else assign


def _late(node: Node, overwriters: dict[Value, Node]) -> list[Value]:
    """What a node reads that is overwritten; not what it reads the shape of, which is what it was."""
    inputs = node.reads() if node.body is not None else (value for values in node.inputs for value in values)
    late = [value for value in inputs if value in overwriters]
    if late:
        by_value = set(node.value_reads())
        late = [value for value in dict.fromkeys(late) if value in by_value]
    return late


def _replace_input(node: Node, value: Value, other: Value, graph: Graph) -> None:
    """Let a node, and what runs in its body, read `other`."""
    node.replace(value, other)
    if node.body is not None:
        _replace_inside(node.body, value, other, graph)


def _replace_inside(body: Body, value: Value, other: Value, graph: Graph) -> None:
    for inner in body.nodes:
        _replace_input(inner, value, other, graph)
    body.finally_replace(value, other, graph)
