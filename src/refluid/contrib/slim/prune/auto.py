"""AutoPruneStrategy: a search for the pruning ratio of each convolution."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.contrib.slim.prune.base import PruneStrategy, bisect, logger, set_shapes, set_values

if TYPE_CHECKING:
    from refluid.contrib.slim.core.context import Context
    from refluid.contrib.slim.prune.pruner import StructurePruner

_STEP = 0.01  # what a token counts


class AutoPruneStrategy(PruneStrategy):
    """Lets a controller propose ratios, prunes by them, and puts everything back for the next; the best one stays.

    Args:
        controller: who proposes tokens: hundredths of the filters of each parameter.
        min_ratio, max_ratio: proposals must remove a fraction of the operations between these.
        retrain_epoch: how many epochs a pruned network is trained before it is measured; 0 measures at once.
        uniform_range: the largest ratio of every parameter; else the first tokens bound them.
        init_tokens: the first tokens; else those that prune all alike.
    """

    def __init__(
        self,
        pruner: StructurePruner | None = None,
        controller: Any = None,
        start_epoch: int = 0,
        end_epoch: int = 10,
        min_ratio: float = 0.5,
        max_ratio: float = 0.7,
        metric_name: str = "top1_acc",
        pruned_params: str = "conv.*_weights",
        retrain_epoch: int = 0,
        uniform_range: float | None = None,
        init_tokens: list[int] | None = None,
    ):
        super().__init__(pruner, start_epoch, end_epoch, 0.0, metric_name, pruned_params)
        self._min_ratio, self._max_ratio = min_ratio, max_ratio
        self._controller, self._metric_name, self._retrain_epoch = controller, metric_name, retrain_epoch
        self._uniform_range, self._init_tokens = uniform_range, init_tokens
        self._pruned_param_names: list[str] = []
        self._values: dict[str, np.ndarray] = {}
        self._shapes: dict[str, Any] = {}

    def on_compression_begin(self, context: Context) -> None:
        self._pruned_param_names = self._matching(context.eval_graph)
        self._current_tokens = self._init_tokens or self._get_init_tokens(context)
        if self._uniform_range is not None:
            table = [round(self._uniform_range / _STEP)] * len(self._pruned_param_names)
        else:
            table = copy.copy(self._current_tokens)
        logger.info("the first tokens are %s, their ranges %s", self._current_tokens, table)
        self._controller.reset(table, self._current_tokens, lambda tokens: self._allowed(context, tokens))

    def _allowed(self, context: Context, tokens: list[int]) -> bool:
        part = self._pruned_part(context, self._pruned_param_names, _ratios(tokens), with_groups=True)
        return self._min_ratio <= part <= self._max_ratio

    def _get_init_tokens(self, context: Context) -> list[int]:
        names = self._pruned_param_names
        ratios = bisect(
            (self._min_ratio + self._max_ratio) / 2, 0.01, 0.0, 1.0, lambda ratio: [ratio] * len(names),
            lambda ratios: self._pruned_part(context, names, ratios),
        )  # fmt: skip
        return [int(ratio / _STEP) for ratio in ratios]

    def _turns(self, epochs: int) -> bool:
        return epochs >= 0 and (self._retrain_epoch == 0 or epochs % self._retrain_epoch == 0)

    def on_epoch_begin(self, context: Context) -> None:
        if context.epoch_id > self.end_epoch or not self._turns(context.epoch_id - self.start_epoch):
            return
        self._values, self._shapes = {}, {}
        self._prune_parameters(
            context.optimize_graph, context.scope, self._pruned_param_names, _ratios(self._current_tokens),
            context.place, param_backup=self._values, param_shape_backup=self._shapes,
        )  # fmt: skip
        self._share_shapes(context)
        context.skip_training = self._retrain_epoch == 0

    def on_epoch_end(self, context: Any) -> None:
        if context.epoch_id == self.end_epoch:
            self._put_back(context)
            best = self._controller._best_tokens or self._current_tokens
            ratios = _ratios(best)
            self._prune_parameters(
                context.optimize_graph, context.scope, self._pruned_param_names, ratios, context.place
            )
            self._share_shapes(context)
            context.skip_training = False
        elif context.epoch_id < self.end_epoch and self._turns(context.epoch_id - self.start_epoch + 1):
            self._controller.update(self._current_tokens, context.eval_results[self._metric_name][-1])
            self._put_back(context)
            self._share_shapes(context)
            self._current_tokens = self._controller.next_tokens()  # measured on the whole network

    def _put_back(self, context: Context) -> None:
        set_values(context, self._values)
        set_shapes(context.optimize_graph, self._shapes)
        self._values, self._shapes = {}, {}

    def _share_shapes(self, context: Context) -> None:
        """Give the graph for testing the shapes of the one that trains, and compile that again."""
        self._prune_graph(context.eval_graph, context.optimize_graph)
        for graph in (context.optimize_graph, context.eval_graph):
            graph.update_groups_of_conv()
        context.optimize_graph.compile()


def _ratios(tokens: list[int]) -> list[float]:
    return [token * _STEP for token in tokens]
