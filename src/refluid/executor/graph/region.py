"""Regions: lists of nodes with what comes in and goes out. The whole plan is one, and so is the body of a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from refluid.executor.graph.late_readers import copy_for_late_readers
from refluid.executor.graph.node import Node
from refluid.executor.graph.value import Value, Values

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

    def finally_read(self) -> list[Value]:
        """What is read behind the last node."""
        return []

    def finally_replace(self, value: Value, other: Value, graph: Graph) -> None:
        """Read `other` in place of `value` behind the last node of this region of `graph`."""


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
        copy_for_late_readers(self)

    def finally_read(self) -> list[Value]:
        return self.fetches

    def finally_replace(self, value: Value, other: Value, graph: Graph | None = None) -> None:
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

    def finally_read(self) -> list[Value]:
        kept = [value for value in self.results if value is not None]
        return [*kept, *self.carried_results, *(value for value, kind in self.saved.items() if kind == "value")]

    def finally_replace(self, value: Value, other: Value, graph: Graph) -> None:
        self.carried_results = [other if one is value else one for one in self.carried_results]
        self.keep_in_place_of(value, other, graph)

    def keep_in_place_of(self, value: Value, other: Value, graph: Graph) -> None:
        """Give `other` as a result, and save it for the gradients in `graph`, in place of `value`."""
        self.results = [other if one is value else one for one in self.results]
        if value in self.saved_outside:
            self.saved_outside[other] = self.saved_outside.pop(value)
        if value in self.saved:
            self.saved = {other if one is value else one: kind for one, kind in self.saved.items()}
            for node in all_nodes(graph):
                gradient = node.body
                if gradient is not None and gradient.forward is not None and gradient.forward.body is self:
                    saved = gradient.saved_params.items()
                    gradient.saved_params = {other if one is value else one: param for one, param in saved}

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
            node.body.finally_replace(value, other, graph)
