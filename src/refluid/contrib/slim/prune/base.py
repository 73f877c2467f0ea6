"""PruneStrategy: what the strategies that prune have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.contrib.slim.core.strategy import Strategy
from refluid.contrib.slim.graph.wrapper import GraphWrapper
from refluid.contrib.slim.log import logger_of
from refluid.contrib.slim.prune.cut import Cut
from refluid.core.errors import ArgumentError

if TYPE_CHECKING:
    from refluid.contrib.slim.core.context import Context
    from refluid.core.places import Place
    from refluid.tensor.scope import Scope

logger = logger_of(__name__)
_NARROW = 1e-6  # a search between two bounds ends when they are this near


class PruneStrategy(Strategy):
    """Prunes filters of convolutions.

    Args:
        pruner: which filters, a StructurePruner.
        target_ratio: the fraction of the operations to remove.
        metric_name: the output of the network for testing that says how good it is.
        pruned_params: a regular expression: the parameters whose filters are pruned.
    """

    def __init__(
        self,
        pruner: Any = None,
        start_epoch: int = 0,
        end_epoch: int = 0,
        target_ratio: float = 0.5,
        metric_name: str | None = None,
        pruned_params: str = "conv.*_weights",
    ):
        super().__init__(start_epoch, end_epoch)
        self.pruner, self.target_ratio, self.metric_name = pruner, target_ratio, metric_name
        self.pruned_params = pruned_params
        self.pruned_list: list[list[str]] = []

    def _matching(self, graph: GraphWrapper) -> list[str]:
        """The names of the parameters to be pruned."""
        names = [param.name() for param in graph.all_parameters()]
        matching = [name for name in names if re.match(self.pruned_params, name)]
        if not matching:
            raise ArgumentError(
                f"{type(self).__name__}: pruned_params {self.pruned_params!r} matches none of {', '.join(names)}"
            )
        return matching

    def _eval_graph(self, context: Context, sampled_rate: float | None = None, cached_id: int = 0) -> float:
        results, names = context.run_eval_graph(sampled_rate, cached_id)
        return float(results[list(names).index(self.metric_name)])

    def _prune_parameters(
        self,
        graph: GraphWrapper,
        scope: Scope,
        params: Iterable[str],
        ratios: Iterable[float],
        place: Place,
        lazy: bool = False,
        only_graph: bool = False,
        param_backup: dict | None = None,
        param_shape_backup: dict | None = None,
    ) -> None:
        """Prune a fraction of the filters of each parameter; see Cut."""
        cut = Cut(graph, scope, self.pruner)
        for name, ratio in zip(params, ratios, strict=True):
            cut.filters(graph.var(name), ratio)
        cut.apply(place, lazy, only_graph, param_backup, param_shape_backup)
        self.pruned_list = [cut.names(0), cut.names(1)]

    def _pruned_part(
        self, context: Context, params: Iterable[str], ratios: Iterable[float], with_groups: bool = False
    ) -> float:
        """Which fraction of the operations would be removed; nothing changes.

        Fluid counts depthwise convolutions with fewer filters by their old number of groups, unless with_groups.
        """
        graph, shapes = context.eval_graph, {}  # type: ignore[var-annotated]
        before = graph.flops()
        self._prune_parameters(
            graph, context.scope, params, ratios, context.place, only_graph=True, param_shape_backup=shapes
        )
        if with_groups:
            graph.update_groups_of_conv()
        part = 1 - graph.flops() / before
        set_shapes(graph, shapes)
        if with_groups:
            graph.update_groups_of_conv()
        return part

    def _prune(self, context: Context, params: Iterable[str], ratios: Iterable[float]) -> None:
        """Prune the graph that trains, with its values, and give the graph for testing the same shapes."""
        size, flops = context.eval_graph.numel_params(), context.eval_graph.flops()
        self._prune_parameters(context.optimize_graph, context.scope, params, ratios, context.place)
        self._prune_graph(context.eval_graph, context.optimize_graph)
        for graph in (context.optimize_graph, context.eval_graph):
            graph.update_groups_of_conv()
        logger.info(
            "pruned %.3f of the parameters and %.3f of the operations",
            1 - context.eval_graph.numel_params() / size,
            1 - context.eval_graph.flops() / flops,
        )

    def _prune_graph(self, graph: GraphWrapper, target_graph: GraphWrapper) -> None:
        """Give the parameters of a graph the shapes that they have in another."""
        set_shapes(graph, {param.name(): param.shape() for param in target_graph.all_parameters()})


def set_shapes(graph: GraphWrapper, shapes: dict[str, Any]) -> None:
    for name, shape in shapes.items():
        graph.var(name).set_shape(shape)


def set_values(context: Any, values: dict[str, np.ndarray]) -> None:
    for name, value in values.items():
        context.scope.find_var(name).get_tensor().set(value, context.place)


def bisect(
    target: float, within: float, low: float, high: float, ratios_at: Callable, part_of: Callable
) -> list[float]:
    """The ratios at the point between two bounds at which `part_of(ratios)` is the target, or as near as it gets."""
    while True:
        middle = (low + high) / 2
        ratios = ratios_at(middle)
        part = part_of(ratios)
        if abs(part - target) < within or high - low < _NARROW:
            logger.info("ratios %s prune %.4f of the operations", [round(ratio, 3) for ratio in ratios], part)
            return ratios
        low, high = (low, middle) if part > target else (middle, high)
