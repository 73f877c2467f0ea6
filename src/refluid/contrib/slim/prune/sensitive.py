"""SensitivePruneStrategy: higher pruning ratios for convolutions that the network is less sensitive to."""

from __future__ import annotations

import os
import pickle
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.contrib.slim.prune.base import PruneStrategy, bisect, logger, set_values
from refluid.saving.pickle_reader import read_pickle

if TYPE_CHECKING:
    from refluid.contrib.slim.core.context import Context
    from refluid.contrib.slim.prune.pruner import StructurePruner

Sensitivities = dict[str, dict[str, Any]]


class SensitivePruneStrategy(PruneStrategy):
    """Measures how sensitive the network is to pruning each convolution, and prunes by that.

    Args:
        delta_rate: the ratios that are tried: delta_rate, twice that, ... below 1.
        target_ratio: the fraction of the operations to remove, in num_steps prunings, each when training has converged.
        sensitivities_file: where what was measured is kept; what is there already is not measured again.
        sensitivities: not read; the file is.
        eval_rate: which fraction of the batches is evaluated; all by default.
    """

    def __init__(
        self,
        pruner: StructurePruner | None = None,
        start_epoch: int = 0,
        end_epoch: int = 0,
        delta_rate: float = 0.20,
        target_ratio: float = 0.5,
        metric_name: str = "top1_acc",
        pruned_params: str = "conv.*_weights",
        sensitivities_file: str = "./sensitivities.data",
        sensitivities: str | Mapping[str, Any] = {},
        num_steps: int = 1,
        eval_rate: float | None = None,
    ):
        super().__init__(pruner, start_epoch, end_epoch, target_ratio, metric_name, pruned_params)
        self.delta_rate, self.num_steps, self.eval_rate = delta_rate, num_steps, eval_rate
        self.sensitivities, self.sensitivities_file = sensitivities, sensitivities_file
        self.pruning_step = 1 - pow(1 - target_ratio, 1.0 / num_steps)

    def on_epoch_begin(self, context: Context) -> None:
        target = self._current_pruning_target(context)
        if target is None:
            return
        sensitivities = self._compute_sensitivities(context)
        params, ratios = self._get_best_ratios(context, sensitivities, target)
        self._prune(context, params, ratios)
        context.optimize_graph.compile()
        context.eval_graph.compile(for_parallel=False, for_test=True)
        logger.info("after pruning %s is %.4f", self.metric_name, self._eval_graph(context))

    def _current_pruning_target(self, context: Any) -> float | None:
        due = context.epoch_id == self.start_epoch or context.eval_converged(self.metric_name, 0.005)
        if self.num_steps <= 0 or not due:
            return None
        self.num_steps -= 1
        return self.pruning_step

    def _compute_sensitivities(self, context: Context) -> Sensitivities:
        """{parameter: {"pruned_percent": [parts], "loss": [how much the metric fell], "size": number of filters}}."""
        sample = np.random.randint(1000)
        later = "" if context.epoch_id == self.start_epoch else f".epoch{context.epoch_id}"
        path = self.sensitivities_file + later
        sensitivities = self._load_sensitivities(path)
        for name in self._matching(context.eval_graph):
            size = context.eval_graph.var(name).shape()[0]
            sensitivities.setdefault(name, {"pruned_percent": [], "loss": [], "size": size})
        metric = None
        for name in list(sensitivities):
            for ratio in np.arange(self.delta_rate, 1, self.delta_rate).round(2).tolist():
                if ratio in sensitivities[name]["pruned_percent"] or ratio >= 1:
                    continue
                if metric is None:
                    metric = self._eval_graph(context, self.eval_rate, sample)
                self._measure(context, sensitivities, name, ratio, metric, sample)
                with open(path, "wb") as file:
                    pickle.dump(sensitivities, file, protocol=2)
        return sensitivities

    def _load_sensitivities(self, sensitivities_file: str) -> Sensitivities:
        """What was measured before; {} if there is no such file."""
        if not sensitivities_file or not os.path.exists(sensitivities_file):
            return {}
        with open(sensitivities_file, "rb") as file:
            sensitivities = read_pickle(file, sensitivities_file)
        for notes in sensitivities.values():
            notes["pruned_percent"] = [round(float(part), 2) for part in notes["pruned_percent"]]
            notes["loss"] = [float(loss) for loss in notes["loss"]]
        return sensitivities

    def _measure(
        self, context: Context, sensitivities: Sensitivities, name: str, ratio: float, metric: float, sample: int
    ) -> None:
        """Note how much the metric falls without a part of the filters, which are put back."""
        values: dict[str, np.ndarray] = {}
        self._prune_parameters(
            context.eval_graph, context.scope, [name], [ratio], context.place, lazy=True, param_backup=values
        )
        loss = metric - self._eval_graph(context, self.eval_rate, sample)
        logger.info("without %s of %s, %s falls by %s", ratio, name, self.metric_name, loss)
        for other in self.pruned_list[0]:
            if re.match(self.pruned_params, other):
                notes = sensitivities.setdefault(other, {"pruned_percent": [], "loss": []})
                notes["pruned_percent"].append(ratio)
                notes["loss"].append(loss)
        set_values(context, values)

    def _get_best_ratios(
        self, context: Context, sensitivities: Sensitivities, target_ratio: float
    ) -> tuple[list[str], list[float]]:
        """The ratios at which every parameter costs the same, and together they remove target_ratio."""
        curves = {name: _fitted(notes["pruned_percent"], notes["loss"]) for name, notes in sensitivities.items()}
        worst = max(max([0, *notes["loss"]]) for notes in sensitivities.values())
        params = list(sensitivities)
        ratios = bisect(
            target_ratio, 0.015, 0.0, worst, lambda loss: _ratios_at(list(curves.values()), loss),
            lambda ratios: self._pruned_part(context, params, ratios),
        )  # fmt: skip
        return params, ratios


def _fitted(parts: list[float], losses: list[float]) -> np.ndarray:
    """The cubic that fits the losses best and is nearest to 0 at 0: its coefficients, the highest power first.

    Where there are too few points, it is the one nearest to 10x^3 + 10x^2 + 10x + 10, with which Fluid's search begins.
    """
    powers = np.vander([0.0] * 5 + list(parts), 4)
    begin = np.full(4, 10.0)
    sizes = np.linalg.norm(powers, axis=0)
    left = np.array([0.0] * 5 + list(losses)) - powers @ begin
    return begin + np.linalg.lstsq(powers / sizes, left, rcond=None)[0] / sizes


def _ratios_at(curves: list[np.ndarray], loss: float) -> list[float]:
    """Where each curve reaches a loss between 0 and 1."""
    ratios, ratio = [], 0.0
    for curve in curves:
        for root in np.roots(curve - [0, 0, 0, loss]):
            if np.isreal(root) and 0 < root.real < 1:
                ratio = float(root.real)
        ratios.append(ratio)  # Fluid: where a curve does not reach it, the ratio of the parameter before
    return ratios
