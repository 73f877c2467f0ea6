"""LightNASStrategy: epochs in which architectures are tried, in search of one that is good and small."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from refluid.contrib.slim.core.strategy import Strategy
from refluid.contrib.slim.log import logger_of
from refluid.contrib.slim.nas.controller_server import ControllerServer
from refluid.contrib.slim.nas.lock import lock, unlock
from refluid.contrib.slim.nas.search_agent import SearchAgent
from refluid.executor.executor import Executor
from refluid.tensor.scope import scope_guard

if TYPE_CHECKING:
    from refluid.contrib.slim.core.context import Context

_logger = logger_of(__name__)
_SERVER_FILE = "./slim_LightNASStrategy_controller_server.socket"
_TRIES = 100


class LightNASStrategy(Strategy):
    """Trains an architecture for retrain_epoch epochs, tells the controller how good it is, and takes the next.

    Args:
        controller: who proposes tokens.
        end_epoch: the last epoch of the search.
        target_flops: architectures with more operations are not trained.
        target_latency: nor those that take longer, if this is not 0 (see SearchSpace.get_model_latency).
        metric_name: the output of the network for testing that says how good it is.
        server_ip, server_port: where the controller listens; 127.0.0.1, for this machine alone, by default.
        is_server: whether the controller is here; else another process has it.
        max_client_num, search_steps, key: of the ControllerServer.
    """

    def __init__(
        self,
        controller: Any = None,
        end_epoch: int = 1000,
        target_flops: float = 629145600,
        target_latency: float = 0,
        retrain_epoch: int = 1,
        metric_name: str = "top1_acc",
        server_ip: str | None = None,
        server_port: int = 0,
        is_server: bool = False,
        max_client_num: int = 100,
        search_steps: int | None = None,
        key: str = "light-nas",
    ):
        super().__init__(0, end_epoch)
        self._controller, self._metric_name, self._retrain_epoch = controller, metric_name, retrain_epoch
        self._max_flops, self._max_latency = target_flops, target_latency
        self._server_ip = "127.0.0.1" if server_ip is None else server_ip
        self._server_port, self._is_server, self._key = server_port, is_server, key
        self._max_client_num, self._search_steps = max_client_num, search_steps

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_search_agent", "_server")}

    def on_compression_begin(self, context: Context) -> None:
        self._current_tokens = context.search_space.init_tokens()
        self._controller.reset(context.search_space.range_table(), self._current_tokens, None)
        if self._is_server:
            self._start_server()
        self._search_agent = SearchAgent(self._server_ip, self._server_port, key=self._key)

    def on_compression_end(self, context: Context) -> None:
        server = getattr(self, "_server", None)
        if server is not None:
            server.close()

    def _start_server(self) -> None:
        """Start the server, unless another process that shares this folder has."""
        Path(_SERVER_FILE).touch()
        with open(_SERVER_FILE, "r+") as file:
            lock(file)
            if not file.readline():
                self._server = ControllerServer(
                    self._controller, (self._server_ip, self._server_port), self._max_client_num, self._search_steps,
                    self._key,
                )  # fmt: skip
                file.write(self._server.start())
                self._server_port = self._server.port()
            unlock(file)

    def on_epoch_begin(self, context: Context) -> None:
        if not self._turns(context.epoch_id - self.start_epoch) or context.epoch_id > self.end_epoch:
            return
        startup, main, train_reader, eval_reader = self._small_enough(context)
        context.train_reader, context.eval_reader = train_reader, eval_reader
        with scope_guard(context.scope):
            Executor(context.place).run(startup)
        context.optimize_graph.program = main
        context.optimize_graph.compile()
        context.skip_training = self._retrain_epoch == 0

    def _small_enough(self, context: Any) -> tuple[Any, Any, Any, Any]:
        """The network of the present tokens, or of others near them if it is too large."""
        near, first = list(self._current_tokens), None
        for _ in range(_TRIES):
            net = context.search_space.create_net(self._current_tokens)
            startup, main, test, _, _, train_reader, eval_reader = net
            context.eval_graph.program = test
            flops = context.eval_graph.flops()
            _logger.info("trying %s, of %s operations", self._current_tokens, flops)
            if flops <= self._max_flops and not self._too_slow(context, test):
                break
            first = flops if first is None else first
            if flops < first:
                near = list(self._current_tokens)
            self._current_tokens = self._controller.next_tokens(near)
        return startup, main, train_reader, eval_reader

    def _too_slow(self, context: Context, test: object) -> bool:
        return self._max_latency > 0 and context.search_space.get_model_latency(test) > self._max_latency

    def _turns(self, epochs: int) -> bool:
        """Whether another architecture is due after so many epochs."""
        return epochs >= 0 and (self._retrain_epoch == 0 or epochs % self._retrain_epoch == 0)

    def on_epoch_end(self, context: Context) -> None:
        if context.epoch_id >= self.end_epoch or not self._turns(context.epoch_id - self.start_epoch + 1):
            return
        reward = context.eval_results[self._metric_name][-1]
        flops = context.eval_graph.flops()
        if flops > self._max_flops or self._too_slow(context, context.eval_graph.program):
            reward = 0.0
        self._current_reward = reward
        _logger.info("the reward of %s is %s; it has %s operations", self._current_tokens, reward, flops)
        self._current_tokens = self._search_agent.update(self._current_tokens, reward)
