"""SlimGraphExecutor: runs graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.contrib.slim.graph.wrapper import GraphWrapper
from refluid.core.errors import ArgumentError
from refluid.data.feeder import DataFeeder
from refluid.executor.executor import Executor

if TYPE_CHECKING:
    from refluid.core.places import Place
    from refluid.tensor.scope import Scope


class SlimGraphExecutor:
    """Runs a graph and gives its outputs."""

    def __init__(self, place: Place):
        self.exe, self.place = Executor(place), place

    def run(self, graph: GraphWrapper, scope: Scope, data: Any = None) -> list[Any]:
        """The values of graph.out_nodes.

        Args:
            data: a batch: a list of samples, whose fields are graph.in_nodes in their order, or a list of feeds, one
                for each place. None for a program with a reader of its own.
        """
        if not isinstance(graph, GraphWrapper):
            raise ArgumentError(f"SlimGraphExecutor.run: graph must be a GraphWrapper, got {type(graph).__name__}")
        feed = data
        if data is not None and not isinstance(data[0], dict):
            feeder = DataFeeder(list(graph.in_nodes.values()), self.place, graph.program)
            feed = feeder.feed(data)
        program = graph.compiled_graph or graph.program
        if isinstance(feed, list) and program is graph.program and len(feed) == 1:
            (feed,) = feed
        return self.exe.run(program, feed=feed, fetch_list=list(graph.out_nodes.values()), scope=scope)
