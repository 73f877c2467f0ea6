"""DistillationStrategy: epochs in which a network learns from a teacher."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.contrib.slim.core.strategy import Strategy
from refluid.contrib.slim.graph.wrapper import train
from refluid.contrib.slim.log import logger_of

if TYPE_CHECKING:
    from refluid.contrib.slim.core.context import Context

_logger = logger_of(__name__)
_BACKUP = "distillation_backup_optimize_graph"


class DistillationStrategy(Strategy):
    """From start_epoch until before end_epoch, the first of the Compressor's teachers is part of what trains.

    Args:
        distillers: the losses between student and teacher.
    """

    def __init__(self, distillers: Any = None, start_epoch: int = 0, end_epoch: int = 0):
        super().__init__(start_epoch, end_epoch)
        self.distillers = distillers

    def restore_from_checkpoint(self, context: Any) -> None:
        if self.start_epoch < context.epoch_id < self.end_epoch:
            self._create_distillation_graph(context)

    def on_epoch_begin(self, context: Context) -> None:
        if context.epoch_id == self.start_epoch:
            self._create_distillation_graph(context)

    def on_epoch_end(self, context: Context) -> None:
        if context.epoch_id == self.end_epoch - 1:
            context.optimize_graph = context.get(_BACKUP)
            _logger.info("distillation ends")

    def _create_distillation_graph(self, context: Context) -> None:
        teacher = context.teacher_graphs[0]
        for var in teacher.program.list_vars():
            var.stop_gradient = True
        graph = context.train_graph.clone()
        graph.merge(teacher)
        if "loss" in graph.out_nodes:
            graph.out_nodes["student_loss"] = graph.out_nodes["loss"]
        for distiller in self.distillers:
            graph = distiller.distiller_loss(graph)
        optimizer = context.distiller_optimizer
        optimizer._name = "distillation_optimizer"
        train(graph, graph.var(graph.out_nodes["loss"])._var, optimizer, context.place, context.scope)
        context.put(_BACKUP, context.optimize_graph)
        context.optimize_graph = graph
        _logger.info("distillation begins")
