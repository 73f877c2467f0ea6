"""fleet with parameter servers, by DistributeTranspiler."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.core.warn import warn_once
from refluid.distributed.communicator import Communicator
from refluid.distributed.fleet.base import DistributedOptimizer, Fleet, Mode
from refluid.distributed.fleet.strategies import (
    AsyncStrategy,
    DistributedStrategy,
    GeoStrategy,
    HalfAsyncStrategy,
    StrategyFactory,
    SyncStrategy,
)
from refluid.distributed.transpile.config import DistributeTranspilerConfig
from refluid.distributed.transpile.transpiler import DistributeTranspiler, GeoSgdTranspiler
from refluid.executor.executor import Executor
from refluid.ir.program import Program, default_main_program, default_startup_program
from refluid.saving.inference import save_inference_model
from refluid.saving.variables import load_persistables, save_persistables

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable
    from refluid.ir.variable import Variable
    from refluid.optim.optimizer import Optimizer, Parameters


class DistributedTranspiler(Fleet):
    """The fleet of workers and servers. There is one, `fleet`."""

    def __init__(self) -> None:
        super().__init__(Mode.TRANSPILER)
        self.startup_program: Program | None = None
        self.main_program: Program | None = None
        self._origin_program: Program | None = None
        self._transpile_config: DistributedStrategy | None = None
        self._transpiler: DistributeTranspiler | None = None
        self._communicator: Communicator | None = None
        self._opt_info: dict[str, Any] = {}

    def init_worker(self) -> None:
        """Begin to exchange with the servers; the startup program has been run."""
        if self._transpile_config is None or self.main_program is None:
            raise EnforceNotMet("fleet.init_worker: call distributed_optimizer(...).minimize(loss) first")
        flags = self._transpile_config.get_trainer_runtime_config().get_communicator_flags()
        about: dict[str, Any] = {
            "pserver_endpoints": self.server_endpoints(),
            "trainer_id": self.worker_index(),
            "trainers": self.worker_num(),
        }
        if isinstance(self._transpiler, GeoSgdTranspiler):
            about["push_vars"] = self._transpiler._get_vars_info()
            about["push_nums"] = self._transpile_config.get_program_config().geo_sgd_need_push_nums
        if self._communicator is not None and self._communicator.is_running():
            warn_once("fleet.init_worker: this worker exchanges with the servers already")
            return
        self._communicator = Communicator(self.main_program, self._transpile_config.mode, about, flags)
        self._communicator.start()

    def init_server(self, model_dir: str | None = None) -> None:
        """Run the startup program of this server, and load a saved model if `model_dir` is passed."""
        executor, startup, main = self._made("init_server")
        executor.run(startup)
        if model_dir:
            if not os.path.isdir(model_dir):
                raise ArgumentError(f"fleet.init_server: there is no folder {model_dir!r}")
            load_persistables(executor, model_dir, main)

    def run_server(self) -> None:
        """Serve until all workers have stopped."""
        executor, _, main = self._made("run_server")
        executor.run(main)

    def stop_worker(self) -> None:
        """Tell the servers that this worker has finished."""
        if self._communicator is not None:
            self._communicator.stop()
        if self._executor is not None:
            self._executor.close()

    def _made(self, what: str) -> tuple[Executor, Program, Program]:
        if self._executor is None or self.startup_program is None or self.main_program is None:
            raise EnforceNotMet(f"fleet.{what}: call fleet.init and distributed_optimizer(...).minimize(loss) first")
        return self._executor, self.startup_program, self.main_program

    def distributed_optimizer(self, optimizer: Optimizer, strategy: object = None) -> DistributedOptimizer:
        """The optimizer, for all workers of this fleet; its updates run on the servers."""
        if not self._is_initialized:
            raise EnforceNotMet("fleet.distributed_optimizer: call fleet.init(role_maker) first")
        self._optimizer = TranspilerOptimizer(optimizer, strategy)
        return self._optimizer

    def save_inference_model(
        self, executor: Executor, dirname: str, feeded_var_names: Sequence[str], target_vars: Sequence[Variable],
        main_program: Program | None = None, export_for_deployment: bool = True,
    ) -> list[str]:  # fmt: skip
        """Save what computes target_vars, for one process, with what servers hold of its parameters."""
        program = _check("save_inference_model", executor, main_program or self._origin_program)
        return save_inference_model(
            dirname, feeded_var_names, target_vars, executor, program, None, None, export_for_deployment
        )

    def save_persistables(self, executor: Executor, dirname: str, main_program: Program | None = None) -> None:
        """Save all persistable variables, as fluid.io.save_persistables does."""
        program = _check("save_persistables", executor, main_program or self.main_program)
        if not program._is_distributed:
            raise ArgumentError("fleet.save_persistables: main_program is for one process; use fluid.io for it")
        save_persistables(executor, dirname, program)

    def _set_opt_info(self, opt_info: dict[str, Any]) -> None:
        self._opt_info = opt_info

    def _transpile(self, config: object) -> None:
        self._transpile_config = _strategy_of(config)
        program_config = self._transpile_config.get_program_config()
        self._origin_program = default_main_program().clone(for_test=False)
        kind = GeoSgdTranspiler if program_config.geo_sgd_mode else DistributeTranspiler
        self._transpiler = kind(program_config)
        self._transpiler._set_server_config(self._transpile_config.get_server_runtime_config())
        servers = self.server_endpoints()
        own = servers[self.server_index()] if self.is_server() else servers[0]
        self._transpiler.transpile(
            trainer_id=self.worker_index(), pservers=",".join(servers), trainers=self.worker_num(),
            sync_mode=program_config.sync_mode, current_endpoint=own,
        )  # fmt: skip
        if self.is_worker():
            self.main_program = self._transpiler.get_trainer_program(wait_port=program_config.wait_port)
            self.startup_program = default_startup_program()
            self._origin_program._copy_dist_param_info_from(self.main_program)  # where its parameters lie
        else:
            self.main_program, self.startup_program = self._transpiler.get_pserver_programs(own)


fleet = DistributedTranspiler()


class TranspilerOptimizer(DistributedOptimizer):
    """Minimises a loss over all workers, with servers that hold the parameters."""

    def __init__(self, optimizer: Any, strategy: object = None):
        super().__init__(optimizer, strategy)
        if not isinstance(strategy, DistributeTranspilerConfig | DistributedStrategy | None):
            raise ArgumentError(
                "strategy must be a DistributeTranspilerConfig or a strategy of StrategyFactory, got "
                f"{type(strategy).__name__}"
            )
        self._strategy = strategy or StrategyFactory.create_sync_strategy()
        self.opt_info: dict[str, Any] = {}
        if isinstance(self._strategy, DistributedStrategy):
            self.opt_info = {
                **self._strategy.get_debug_opt(), "mpi_rank": fleet.worker_index(), "mpi_size": fleet.worker_num(),
                "trainer": "MultiTrainer", "device_worker": "Hogwild",
            }  # fmt: skip
            fleet._set_opt_info(self.opt_info)

    def minimize(
        self,
        loss: Any,
        scopes: object = None,
        startup_program: Program | None = None,
        parameter_list: Parameters = None,
        no_grad_set: Collection[BaseVariable | str] | None = None,
    ) -> tuple[Any, Any]:
        """Append gradients and updates, then make the programs of workers and servers."""
        if isinstance(loss, list):
            raise ArgumentError("minimize: loss must be one variable, got a list")
        result = self._optimizer.minimize(loss, startup_program, parameter_list, no_grad_set)
        fleet._transpile(config=self._strategy)
        loss.block.program._fleet_opt = self.opt_info
        return result


def _strategy_of(config: Any) -> DistributedStrategy:
    if isinstance(config, DistributedStrategy):
        return config
    kind: DistributedStrategy
    if config.sync_mode:
        kind = SyncStrategy()
    elif config.geo_sgd_mode and config.runtime_split_send_recv:
        kind = GeoStrategy(config.geo_sgd_need_push_nums)
    elif config.runtime_split_send_recv and not config.half_async:
        kind = AsyncStrategy()
    else:
        kind = HalfAsyncStrategy()
    kind.set_program_config(config)
    return kind


def _check(what: str, executor: object, program: object) -> Program:
    if not isinstance(executor, Executor):
        raise ArgumentError(f"fleet.{what}: executor must be an Executor, got {type(executor).__name__}")
    if not isinstance(program, Program):
        raise ArgumentError(f"fleet.{what}: main_program must be a Program, got {type(program).__name__}")
    return program


BUILD_MODE = Mode.TRANSPILER


def is_transpiler() -> bool:
    """Whether fleet's servers are those of DistributeTranspiler; pslib's are in no public release."""
    return BUILD_MODE == Mode.TRANSPILER
