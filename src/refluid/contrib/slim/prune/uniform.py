"""UniformPruneStrategy: the same pruning ratio for every convolution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.contrib.slim.prune.base import PruneStrategy, bisect

if TYPE_CHECKING:
    from refluid.contrib.slim.core.context import Context


class UniformPruneStrategy(PruneStrategy):
    """At the start of start_epoch, prunes the fraction of all filters that removes target_ratio of the operations."""

    params: list[str]
    ratios: list[float]

    def _get_best_ratios(self, context: Context) -> tuple[list[str], list[float]]:
        params = self._matching(context.eval_graph)
        ratios = bisect(
            self.target_ratio, 0.01, 0.0, 1.0, lambda ratio: [ratio] * len(params),
            lambda ratios: self._pruned_part(context, params, ratios),
        )  # fmt: skip
        return params, ratios

    def restore_from_checkpoint(self, context: Any) -> None:
        if hasattr(self, "params"):
            self._prune(context, self.params, self.ratios)

    def on_epoch_begin(self, context: Context) -> None:
        if context.epoch_id == self.start_epoch:
            self.params, self.ratios = self._get_best_ratios(context)
            self._prune(context, self.params, self.ratios)
