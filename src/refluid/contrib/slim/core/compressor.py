"""Compressor: trains a network, epoch by epoch, while strategies make it smaller."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.contrib.slim.core import checkpoint
from refluid.contrib.slim.core.config import ConfigFactory
from refluid.contrib.slim.core.context import Context
from refluid.contrib.slim.core.reading import batches
from refluid.contrib.slim.core.strategy import Strategy
from refluid.contrib.slim.graph.executor import SlimGraphExecutor
from refluid.contrib.slim.graph.wrapper import GraphWrapper
from refluid.contrib.slim.log import logger_of
from refluid.core.errors import ArgumentError
from refluid.core.places import CPUPlace, Place
from refluid.tensor.scope import Scope, scope_guard

if TYPE_CHECKING:
    from refluid.contrib.slim.nas.search_space import SearchSpace
    from refluid.ir.program import Program
    from refluid.optim.optimizer import Optimizer

_logger = logger_of(__name__)


class Compressor:
    """Trains a network while strategies make it smaller.

    Args:
        place, scope: where it runs, and where the parameters are.
        train_program, train_reader, train_feed_list, train_fetch_list: what is trained; lists of (a name of your
            choice, the variable's name). The output called "loss" is minimized by train_optimizer; without one,
            train_program has its updates already.
        eval_program, eval_reader, eval_feed_list, eval_fetch_list: what is measured after an epoch.
        eval_func: {name: function(program, scope)} that measures in place of that.
        save_eval_model, prune_infer_model: what of the measured network checkpoints hold: all of it, and the part
            between (names of inputs, names of outputs).
        teacher_programs: networks to learn from.
        checkpoint_path: the folder of checkpoints; a training that has some there goes on.
        train_optimizer, distiller_optimizer: the optimizers, that of distillation by itself.
        search_space: of a search for architectures.
        log_period: after how many batches a line is logged.
    """

    def __init__(
        self,
        place: Place,
        scope: Scope,
        train_program: Any,
        train_reader: Callable[[], Iterable[Any]] | None = None,
        train_feed_list: Any = None,
        train_fetch_list: Any = None,
        eval_program: Any = None,
        eval_reader: Callable[[], Iterable[Any]] | None = None,
        eval_feed_list: Any = None,
        eval_fetch_list: Any = None,
        eval_func: Mapping[str, Callable] | None = None,
        save_eval_model: bool = True,
        prune_infer_model: Sequence[Any] | None = None,
        teacher_programs: Sequence[Program] = [],
        checkpoint_path: str | None = None,
        train_optimizer: Optimizer | None = None,
        distiller_optimizer: Optimizer | None = None,
        search_space: SearchSpace | None = None,
        log_period: int = 20,
    ):
        for name, feed_list in (("train_feed_list", train_feed_list), ("eval_feed_list", eval_feed_list)):
            if feed_list is not None and not isinstance(feed_list, list):
                raise ArgumentError(
                    f"Compressor: {name} must be a list like [('image', image.name)], got {type(feed_list).__name__}"
                )
        if log_period <= 0:
            raise ArgumentError(f"Compressor: log_period must be positive, got {log_period}")
        self.strategies: list[Strategy] = []
        self.epoch, self.eval_epoch = 0, 1
        self.place, self.scope = CPUPlace() if place is None else place, scope
        self.train_graph = GraphWrapper(train_program, train_feed_list, train_fetch_list)
        self.eval_graph = GraphWrapper(eval_program, eval_feed_list, eval_fetch_list)
        self.teacher_graphs = [GraphWrapper(teacher) for teacher in teacher_programs]
        self.train_reader, self.eval_reader, self.eval_func = train_reader, eval_reader, eval_func
        self.save_eval_model, self.prune_infer_model = save_eval_model, prune_infer_model
        self.checkpoint_path, self.init_model = checkpoint_path, None
        self.train_optimizer, self.distiller_optimizer = train_optimizer, distiller_optimizer
        self.search_space, self.log_period = search_space, log_period

    def config(self, config_file: str) -> None:
        """Read the strategies, and how many epochs there are, from a YAML file."""
        settings = ConfigFactory(config_file).compressor
        self.epoch = settings["epoch"]
        for strategy in settings["strategies"]:
            self._add_strategy(strategy)
        self.checkpoint_path = settings.get("checkpoint_path", self.checkpoint_path)
        self.init_model = settings.get("init_model", self.init_model)
        self.eval_epoch = settings.get("eval_epoch", self.eval_epoch)
        if self.eval_epoch <= 0:
            raise ArgumentError(f"Compressor.config: eval_epoch must be positive, got {self.eval_epoch}")

    def _add_strategy(self, strategy: Strategy) -> None:
        self.strategies.append(strategy)
        self.epoch = max(strategy.end_epoch, self.epoch)

    def run(self) -> GraphWrapper | None:
        """Train; the network for testing as the strategies have left it."""
        context = self.context = Context(
            self.place, self.scope, self.train_graph, self.train_reader, self.eval_graph, self.eval_reader,
            self.teacher_graphs, self.train_optimizer, self.distiller_optimizer, self.search_space,
        )  # fmt: skip
        if self.teacher_graphs:
            context.put("teachers", self.teacher_graphs)
        self._load_init_model(context)
        context.optimize_graph = self._optimize_graph(context)
        if self.checkpoint_path:
            checkpoint.restore(context, self.strategies, self.checkpoint_path)
        self._tell("on_compression_begin", context)
        for epoch in range(context.epoch_id, self.epoch):
            context.epoch_id = epoch
            self._run_epoch(context)
        self._tell("on_compression_end", context)
        return context.eval_graph

    def _run_epoch(self, context: Context) -> None:
        self._tell("on_epoch_begin", context)
        self._train_one_epoch(context)
        if context.epoch_id % self.eval_epoch == 0:
            self._eval(context)
        if self.checkpoint_path:
            checkpoint.save(
                context, self.strategies, self.checkpoint_path, self.save_eval_model, self.prune_infer_model
            )
        self._tell("on_epoch_end", context)

    def _tell(self, moment: str, context: Context) -> None:
        for strategy in self.strategies:
            getattr(strategy, moment)(context)

    def _optimize_graph(self, context: Context) -> GraphWrapper:
        if context.train_optimizer is None:
            return context.train_graph
        context.train_optimizer._name = "train_opt"
        return context.train_graph.get_optimize_graph(context.train_optimizer, context.place, context.scope)

    def _load_init_model(self, context: Context) -> None:
        """Load parameters, whose shapes may be smaller than the program's, from the folder `init_model`."""
        if not self.init_model or not os.path.exists(self.init_model):
            return
        with scope_guard(context.scope):
            context.train_graph.load_persistables(self.init_model, SlimGraphExecutor(context.place))
        for graph in (context.eval_graph, context.train_graph):
            graph.update_param_shape(context.scope)
            graph.update_groups_of_conv()
        context.train_graph.infer_shape()
        _logger.info("loaded %s", self.init_model)

    def _train_one_epoch(self, context: Context) -> None:
        if context.skip_training:
            return
        executor = SlimGraphExecutor(self.place)
        if context.optimize_graph.compiled_graph is None:
            context.optimize_graph.compile()

        def run(batch: object) -> Any:
            self._tell("on_batch_begin", context)
            return executor.run(context.optimize_graph, context.scope, data=batch)

        for results in batches(context.train_reader, run):
            if context.batch_id % self.log_period == 0:
                means = {
                    name: round(float(np.mean(r)), 6) for name, r in zip(context.optimize_graph.out_nodes, results)
                }
                _logger.info("epoch %d, batch %d: %s", context.epoch_id, context.batch_id, means)
            self._tell("on_batch_end", context)
            context.batch_id += 1
        context.batch_id = 0

    def _eval(self, context: Context) -> None:
        if self.eval_func is not None:
            measured = {
                name: function(context.eval_graph.program, self.scope) for name, function in self.eval_func.items()
            }
        else:
            results, names = context.run_eval_graph()
            measured = dict(zip(names, results))
        for name, result in measured.items():
            context.eval_results.setdefault(name, []).append(result)
