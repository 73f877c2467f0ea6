"""Regions: lists of nodes with what comes in and goes out. The whole plan is one, and so is the body of a node.

Note [Reads behind an overwrite]
    A node may stand anywhere behind what it reads. Where another one overwrites the memory of a value in between, or
    that which the value is a view of, the late readers read a copy from before the overwrite: `copy_for_late_readers`
    runs when a graph is built and whenever a pass puts other nodes into a region. So a pass need not ask about that,
    but one that would rather leave its match alone than cause a copy may (`Value.overwriters`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from refluid.executor.graph.node import Node
from refluid.executor.graph.value import Value, Values
from refluid.ops.shape.assign import assign

if TYPE_CHECKING:
    from refluid.executor.derived import Derived
    from refluid.ir.block import Block


class Region:
    """Nodes in the order in which they run."""

    def __init__(self, block: Block):
        self.block = block
        self.nodes: list[Node] = []

    def append(self, node: Node) -> Node:
        self.nodes.append(self.adopt(node))
        return node

    def adopt(self, node: Node) -> Node:
        """Make a new node one of this region; it still has to be put into `nodes`."""
        node.region = self
        for value in node.writes():
            value.region = self
        return node

    def rewrite(self, replacement: Callable[[Node], list[Node] | None]) -> None:
        """Put other nodes in the place of some: `replacement` tells for each which ones, None for itself."""
        result: list[Node] = []
        for node in self.nodes:
            others = replacement(node)
            result += [node] if others is None else others
        self.set(result)

    def set(self, nodes: list[Node]) -> None:
        """Take these nodes, new and old, in this order; the others are removed."""
        if nodes == self.nodes:
            return
        kept = set(nodes)
        for node in self.nodes:
            if node not in kept:
                node.detach()
        for node in nodes:
            if node.region is not self:
                self.adopt(node)
        self.nodes = nodes
        self.copy_for_late_readers()

    def copy_for_late_readers(self) -> None:
        """Let what is read behind an overwrite be a copy; see Note [Reads behind an overwrite]."""
        candidates = [n for n in self.nodes if n.op.inplace or n.over is not None or n.body is not None]
        overwrites = {node: values for node in candidates if (values := set(node.overwrites()))}
        # A write to an array replaces an element, and leaves the old one as it was.
        tensors = {value for values in overwrites.values() for value in values if not value.is_array}
        viewed: dict[Value, set[Value]] = {}  # of these, those that a value may be a view of
        views: dict[Value, list[Value]] = {}  # and the other way round
        overwriters: dict[Value, Node] = {}  # of values that are not in memory any more
        for node in list(self.nodes) if overwrites else ():
            for value in _late(node, overwriters) if overwriters else ():
                self._copy_before(overwriters.pop(value), value)
            for value in overwrites.get(node, ()):
                overwriters.update(dict.fromkeys((value, *views.get(value, ())), node))
            if tensors and (node.op.views or node.body is not None):
                roots = {one for value in node.viewed() for one in (value, *viewed.get(value, ())) if one in tensors}
                for value in node.writes() if roots else ():
                    if value.base is None and not value.persistable:  # a persistable is stored, and so copied
                        viewed[value] = {root for root in roots if _may_share(value, root)}
                        for root in viewed[value]:
                            views.setdefault(root, []).append(value)
        for value in self.finally_read():
            if value in overwriters:
                self._copy_before(overwriters.pop(value), value)

    def _copy_before(self, overwriter: Node, value: Value) -> None:
        """Let all nodes behind one read a copy of a value from before it."""
        position = self.nodes.index(overwriter)
        copy = Value(f"{value.name}@COPY", None if value.persistable else value.variable)
        for late in self.nodes[position + 1 :]:
            _replace_input(late, value, copy)
        self.nodes.insert(position, self.adopt(Node(assign, overwriter.operator, [[value]], [[copy]], {})))
        self.finally_replace(value, copy)

    def finally_read(self) -> list[Value]:
        """What is read behind the last node."""
        return []

    def finally_replace(self, value: Value, other: Value) -> None:
        """Read `other` in place of `value` behind the last node."""


class Graph(Region):
    """A whole plan."""

    def __init__(self, block: Block):
        super().__init__(block)
        self.feeds: dict[str, Value] = {}
        self.states: dict[str, Value] = {}  # persistables as they are when a run begins
        self.missing: dict[str, Value] = {}  # never computed; refused if something reads it
        self.derived: dict[Value, Derived] = {}  # what is made from parameters once
        self.network: Value | None = None  # derived: what computes the whole plan in one call; see executor/network
        self.fetches: list[Value] = []
        self.boundary: Node | None = None  # behind which gradients begin that may be asked for twice; see jit/split.py

    def finally_read(self) -> list[Value]:
        return self.fetches

    def finally_replace(self, value: Value, other: Value) -> None:
        self.fetches = [other if one is value else one for one in self.fetches]

    def own(self, value: Value | None) -> bool:
        """Whether it is a temporary of the plan: neither held nor fetched outside."""
        return value is not None and value.maker is not None and not value.persistable and value not in self.fetches

    def only_reader(self, value: Value | None) -> Node | None:
        """The one node that reads a temporary."""
        if value is None or len(value.readers) != 1 or not self.own(value):
            return None
        (reader,) = value.readers
        return reader if reader.region is value.region else None

    def only_for(self, value: Value | None) -> Node | None:
        """The node that makes a temporary which one node reads, once."""
        reader = self.only_reader(value)
        if reader is None or value is None or value.maker is None or value.maker.body is not None:
            return None
        return value.maker if sum(one is value for one in reader.reads()) == 1 else None


class Body(Region):
    """What a node runs: a function of what it captures and of its parameters, which gives results.

    `carried` are the variables around it that it writes. A loop gives an iteration its own value of each (`carried`),
    and takes `carried_results` on to the next one; a branch reads the value before it, and has no `carried`. `params`
    and `results` are what the kind of the node says (blocks/ tells of each). `saved` are values made inside that the
    gradient reads, `saved_params` what the gradient's body has for them.
    """

    def __init__(self, block: Block):
        super().__init__(block)
        self.params: list[Value] = []
        self.results: Values = []
        self.carried: list[Value] = []
        self.carried_results: list[Value] = []
        self.is_loop = False
        self.saved: dict[Value, str] = {}  # read by its "value" or its "shape"
        self.saved_lods: list[Value] = []  # those of the saved that have a LoD, which the code generator finds
        self.saved_outside: dict[Value, Value] = {}  # of a branch: what is saved, as a value behind it
        self.saved_params: dict[Value, Value] = {}  # of a gradient: saved value -> what its body reads
        self.forward: Node | None = None  # of a gradient: the node that it is the gradient of
        self.gradients = 0  # how many gradients read what is saved
        self.optional: set[Value] = set()  # outputs of the node that are None where the body has not run

    def inputs(self) -> Iterator[Value]:
        yield from self.params
        yield from self.carried
        yield from self.saved_params.values()

    def outputs(self) -> Iterator[Value]:
        yield from (value for value in self.results if value is not None)
        yield from self.carried_results
        yield from self.saved

    def captures(self) -> tuple[list[Value], list[Value]]:
        """Values made outside that are read inside: by value, and those that are read by their shapes alone."""
        defined = set(self.inputs())
        values: dict[Value, None] = {}
        shapes: dict[Value, None] = {}
        for node in self.nodes:
            by_value, by_shape = node.split_reads()
            values.update(dict.fromkeys(value for value in by_value if value not in defined))
            shapes.update(dict.fromkeys(value for value in by_shape if value not in defined))
            defined.update(node.writes())
        values.update(dict.fromkeys(value for value in self.outputs() if value not in defined))
        return list(values), [value for value in shapes if value not in values]


def all_nodes(region: Region) -> Iterator[Node]:
    """The nodes and those of their bodies, in order."""
    for node in region.nodes:
        yield node
        if node.body is not None:
            yield from all_nodes(node.body)


def replace(graph: Graph, value: Value, other: Value) -> None:
    """Replace `value` by `other` in all its readers."""
    for reader in list(value.readers):
        reader.replace(value, other)
    graph.finally_replace(value, other)
    for node in all_nodes(graph):
        if node.body is not None:
            _replace_outputs(node.body, value, other)


def _may_share(value: Value, root: Value) -> bool:
    """Whether both may be in the same memory: a cast to another dtype is a copy."""
    return value.variable is None or root.variable is None or value.variable.dtype == root.variable.dtype


def _late(node: Node, overwriters: dict[Value, Node]) -> list[Value]:
    """What a node reads that is overwritten; not what it reads the shape of, which is what it was."""
    inputs = node.reads() if node.body is not None else (value for values in node.inputs for value in values)
    late = [value for value in inputs if value in overwriters]
    if late:
        by_value = set(node.value_reads())
        late = [value for value in dict.fromkeys(late) if value in by_value]
    return late


def _replace_input(node: Node, value: Value, other: Value) -> None:
    """Let a node, and what runs in its body, read `other`."""
    node.replace(value, other)
    if node.body is not None:
        for inner in node.body.nodes:
            _replace_input(inner, value, other)
        _replace_outputs(node.body, value, other)


def _replace_outputs(body: Body, value: Value, other: Value) -> None:
    body.results = [other if one is value else one for one in body.results]
    body.carried_results = [other if one is value else one for one in body.carried_results]
    if value in body.saved:
        body.saved = {other if one is value else one: kind for one, kind in body.saved.items()}
