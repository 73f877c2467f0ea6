"""Context: what strategies share while a Compressor runs."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.contrib.slim.core.cached_reader import cached_reader
from refluid.contrib.slim.core.reading import batches
from refluid.contrib.slim.graph.executor import SlimGraphExecutor
from refluid.contrib.slim.log import logger_of
from refluid.core.errors import ArgumentError
from refluid.saving.pickle_reader import read_pickle

if TYPE_CHECKING:
    from refluid.core.places import Place
    from refluid.tensor.scope import Scope

_logger = logger_of(__name__)


class Context:
    """The graphs, readers and results of a compression.

    Args:
        place, scope: where it runs, and where the parameters are.
        train_graph, eval_graph, teacher_graphs: the network as it was given; optimize_graph is what trains.
        train_reader, eval_reader: functions that give an iterator over batches, or DataLoaders.
        train_optimizer, distiller_optimizer: who trains it, and who does while it is distilled.
        search_space: of a search for architectures.
    """

    def __init__(
        self,
        place: Place,
        scope: Scope,
        train_graph: Any = None,
        train_reader: Any = None,
        eval_graph: Any = None,
        eval_reader: Any = None,
        teacher_graphs: Any = None,
        train_optimizer: Any = None,
        distiller_optimizer: Any = None,
        search_space: Any = None,
    ):
        self.place, self.scope = place, scope
        self.epoch = self.epoch_id = self.batch_id = 0
        self.k_v: dict[str, Any] = {}
        self.train_graph, self.eval_graph, self.teacher_graphs = train_graph, eval_graph, teacher_graphs
        self.train_reader, self.eval_reader = train_reader, eval_reader
        self.train_optimizer, self.distiller_optimizer = train_optimizer, distiller_optimizer
        self.executor = None
        self.optimize_graph: Any = None
        self.cache_path = "./eval_cache"
        self.eval_results: dict[str, list[float]] = {}
        self.skip_training = False
        self.search_space = search_space

    def put(self, key: str, value: object) -> None:
        self.k_v[key] = value

    def get(self, key: str) -> Any:
        return self.k_v.get(key)

    def to_file(self, file_name: str) -> None:
        """Save how far the training is."""
        with open(file_name, "wb") as file:
            pickle.dump({"epoch_id": self.epoch_id, "eval_results": self.eval_results}, file, protocol=2)

    def from_file(self, file_name: str) -> None:
        with open(file_name, "rb") as file:
            found = read_pickle(file, file_name)
        self.epoch_id, self.eval_results = found["epoch_id"], found["eval_results"]

    def eval_converged(self, metric_name: str, delta: float = 0.001) -> bool:
        """Whether the last two evaluations differ by less than the fraction `delta`."""
        results = self.eval_results.get(metric_name, [])[-2:]
        if len(results) < 2:
            return False
        _logger.info("the last evaluations: %s", results)
        return abs(results[1] - results[0]) / results[0] < delta

    def run_eval_graph(self, sampled_rate: float | None = None, cached_id: int = 0) -> tuple[list[float], Any]:
        """(the means of the outputs of the graph for testing, their names).

        Args:
            sampled_rate: which fraction of the batches; all by default.
            cached_id: the number of the sample.
        """
        if self.eval_graph is None or self.eval_reader is None:
            raise ArgumentError("run_eval_graph: eval_program and eval_reader must be given to the Compressor")
        graph = self.eval_graph.clone(for_test=True)
        reader = self.eval_reader
        if sampled_rate:
            reader = cached_reader(reader, sampled_rate, self.cache_path, cached_id)
        executor = SlimGraphExecutor(self.place)
        results = []
        for batch in batches(reader, lambda data: executor.run(graph, self.scope, data=data)):
            results.append([float(np.mean(value)) for value in batch])
        means = np.mean(np.array(results), axis=0).tolist()
        _logger.info("evaluated: %s", dict(zip(graph.out_nodes, means)))
        return means, graph.out_nodes.keys()
