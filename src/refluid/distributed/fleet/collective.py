"""fleet's collective mode: workers alone, which sum gradients among themselves."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from refluid.contrib.mixed_precision.optimizer import decorate
from refluid.core.errors import ArgumentError
from refluid.core.warn import warn_once
from refluid.distributed.fleet import checkpoint
from refluid.distributed.fleet.base import DistributedOptimizer, Fleet, Mode
from refluid.distributed.fleet.checkpoint import TrainStatus
from refluid.distributed.transpile.config import DistributeTranspilerConfig
from refluid.distributed.transpile.transpiler import DistributeTranspiler
from refluid.executor.compiled import BuildStrategy, CompiledProgram, ExecutionStrategy, Switch
from refluid.executor.executor import Executor
from refluid.ir.program import Program, default_startup_program
from refluid.optim.recompute import RecomputeOptimizer
from refluid.saving.file_system import FS, LocalFS
from refluid.saving.inference import save_inference_model
from refluid.saving.variables import load_persistables, save_persistables

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable
    from refluid.optim.optimizer import Optimizer, Parameters


class LambConfig:
    """Settings of LAMB; there are none."""


class DistFCConfig:
    """Settings of a fully connected layer that is spread over workers; there are none."""


class DistributedStrategy(BuildStrategy):
    """How a fleet trains.

    Attributes beside those of BuildStrategy:
        mode: "nccl2" (a CompiledProgram over all workers) or "collective" (operators in the program).
        collective_mode: of "collective": "grad_allreduce" or "local_sgd"; use_local_sgd chooses the second.
        forward_recompute, recompute_checkpoints: compute activations again instead of keeping them.
        use_amp, amp_loss_scaling: train in mixed precision.
        exec_strategy: an ExecutionStrategy.
    """

    use_local_sgd = Switch(False)
    use_dist_fc = Switch(False)
    dist_fc_config = Switch(None)
    mode = Switch("nccl2")
    collective_mode = Switch(None)
    forward_recompute = Switch(False)
    recompute_checkpoints = Switch([])
    use_amp = Switch(False)
    amp_loss_scaling = Switch(2**15)
    exec_strategy = Switch(ExecutionStrategy())
    _ut4grad_allreduce = Switch(False)


class Collective(Fleet):
    """The fleet of workers. There is one, `fleet`."""

    def __init__(self) -> None:
        super().__init__(Mode.COLLECTIVE)
        self.startup_program: Program | None = None
        self.main_program: Any = None
        self._origin_program: Program | None = None
        self._transpiled_program: Program | None = None

    def _of_servers(self, name: str) -> None:
        warn_once(f"fleet.{name}: there are no servers in the collective mode, so nothing is done")

    def init_worker(self) -> None:
        self._of_servers("init_worker")

    def run_worker(self, main_programs: object = None, scopes: object = None) -> None:
        self._of_servers("run_worker")

    def init_server(self, model_dir: str | None = None) -> None:
        self._of_servers("init_server")

    def run_server(self) -> None:
        self._of_servers("run_server")

    def stop_worker(self) -> None:
        self._of_servers("stop_worker")

    def distributed_optimizer(
        self, optimizer: Optimizer, strategy: DistributedStrategy | None = None
    ) -> DistributedOptimizer:
        """The optimizer, for all workers of this fleet."""
        self._optimizer = CollectiveOptimizer(optimizer, strategy)
        return self._optimizer

    # -- saving -------------------------------------------------------------------------------------------------

    def save_inference_model(
        self, executor: Executor, dirname: str, feeded_var_names: Any = None, target_vars: Any = None,
        main_program: Program | None = None, export_for_deployment: bool = True,
    ) -> list[str]:  # fmt: skip
        """Save what computes target_vars, for one process; that of the last minimize if no program is given."""
        program = self._program("save_inference_model", executor, main_program, self._origin_program)
        return save_inference_model(
            dirname, feeded_var_names, target_vars, executor, program, None, None, export_for_deployment
        )

    def save_persistables(
        self, executor: Executor, dirname: str, main_program: Program | None = None, filename: str | None = None
    ) -> None:
        """Save all persistable variables, in files of their own or in one."""
        program = self._program("save_persistables", executor, main_program, self._origin_program)
        save_persistables(executor, dirname, program, filename)

    def save_check_point(
        self, executor: Executor, path: str, train_status: TrainStatus, main_program: Program | None = None,
        fs: FS | None = None, local_cache_path: str = ".cache", remain_all_checkpoint: bool = True,
    ) -> None:  # fmt: skip
        """Save parameters, optimizer state and the epoch in a new folder of `path`.

        The first worker alone is enough where all see the same folder.
        """
        program = self._program("save_check_point", executor, main_program, self._transpiled_program)
        place = fs or LocalFS()

        def save(folder: str) -> None:
            save_persistables(executor, folder, program, checkpoint.PARAMETERS)

        checkpoint.write(place, path, save, train_status, local_cache_path, self.worker_index())
        if not remain_all_checkpoint:
            checkpoint.clean(place, path, 1)

    def load_check_point(
        self, executor: Executor, path: str, trainer_id: int, main_program: Program | None = None,
        fs: FS | None = None, local_cache_path: str = ".cache", ignore_empty: bool = True,
    ) -> TrainStatus | None:  # fmt: skip
        """Load the newest checkpoint of `path`; None if there is none."""
        program = self._program("load_check_point", executor, main_program, self._transpiled_program)

        def load(folder: str) -> None:
            load_persistables(executor, folder, program, checkpoint.PARAMETERS)

        return checkpoint.read(fs or LocalFS(), path, load, trainer_id, local_cache_path, ignore_empty)

    def clean_redundant_check_points(self, root_path: str, fs: FS | None = None, checkpoint_num: int = 1) -> None:
        """Remove all but the newest checkpoints."""
        checkpoint.clean(fs or LocalFS(), root_path, checkpoint_num)

    def _program(self, what: str, executor: Executor, main_program: object, default: Program | None) -> Program:
        if not isinstance(executor, Executor):
            raise ArgumentError(f"fleet.{what}: executor must be an Executor, got {type(executor).__name__}")
        program = default if main_program is None else main_program
        if not isinstance(program, Program):
            raise ArgumentError(
                f"fleet.{what}: main_program must be a Program, got {type(program).__name__}; without one call "
                "distributed_optimizer(...).minimize(loss) first"
            )
        return program


fleet = Collective()


class CollectiveOpBasedOptimizer(DistributedOptimizer):
    """Base of optimizers that put collectives into the program."""

    def __init__(self, optimizer: Optimizer, strategy: DistributedStrategy | None = None):
        if not isinstance(strategy, DistributedStrategy):
            raise ArgumentError(f"strategy must be a DistributedStrategy, got {type(strategy).__name__}")
        super().__init__(optimizer, strategy)


class CollectiveOptimizer(DistributedOptimizer):
    """Minimises a loss over all workers of the fleet, as its strategy says."""

    def __init__(self, optimizer: Any, strategy: DistributedStrategy | None = None):
        strategy = DistributedStrategy() if strategy is None else strategy
        if not isinstance(strategy, DistributedStrategy):
            raise ArgumentError(f"strategy must be a DistributedStrategy, got {type(strategy).__name__}")
        super().__init__(optimizer, strategy)
        if not isinstance(strategy.recompute_checkpoints, list):
            raise ArgumentError("DistributedStrategy.recompute_checkpoints must be a list")
        self.print_config = False

    def minimize(
        self,
        loss: BaseVariable,
        startup_program: Program | None = None,
        parameter_list: Parameters = None,
        no_grad_set: Collection[BaseVariable | str] | None = None,
    ) -> tuple[Any, Any]:
        """Append gradients, updates and what sums gradients over workers; `fleet.main_program` is what to run."""
        self._wrap()
        main = loss.block.program
        startup = startup_program or default_startup_program()
        self._choose_mode()
        result = self._optimizer.minimize(
            loss, startup_program=startup, parameter_list=parameter_list, no_grad_set=no_grad_set
        )
        fleet.startup_program = startup
        fleet._origin_program = main.clone(for_test=False)
        fleet._transpiled_program = main
        fleet.main_program = self._compile(startup, main, loss.name)
        return result

    def _wrap(self) -> None:
        strategy = self._strategy
        name = type(self._optimizer).__name__
        if strategy.forward_recompute:
            if not strategy.recompute_checkpoints:
                raise ArgumentError("strategy.forward_recompute needs strategy.recompute_checkpoints")
            if name in ("RecomputeOptimizer", "OptimizerWithMixedPrecision"):
                raise ArgumentError(f"{name} cannot be combined with strategy.forward_recompute, which does the same")
            self._optimizer = RecomputeOptimizer(self._optimizer)
            self._optimizer._set_checkpoints(strategy.recompute_checkpoints)
        if strategy.use_amp:
            if name in ("OptimizerWithMixedPrecision", "DGCMomentumOptimizer"):
                raise ArgumentError(f"{name} cannot be combined with strategy.use_amp")
            self._optimizer = decorate(
                self._optimizer, init_loss_scaling=strategy.amp_loss_scaling, use_dynamic_loss_scaling=True
            )

    def _choose_mode(self) -> None:
        strategy = self._strategy
        if strategy.use_dist_fc:
            if strategy.dist_fc_config is None or strategy.use_local_sgd:
                raise ArgumentError(
                    "strategy.use_dist_fc needs strategy.dist_fc_config, and cannot be combined with use_local_sgd"
                )
            warn_once("strategy.use_dist_fc changes nothing: Fluid has the switch, which nothing reads")
        if strategy.use_local_sgd:
            strategy.mode, strategy.collective_mode = "collective", "local_sgd"
        elif strategy._ut4grad_allreduce:
            strategy.mode, strategy.collective_mode = "collective", "grad_allreduce"
        if strategy.collective_mode in ("local_sgd", "grad_allreduce") and strategy.mode != "collective":
            raise ArgumentError(
                f"strategy.collective_mode {strategy.collective_mode!r} requires mode 'collective', got "
                f"{strategy.mode!r}"
            )

    def _compile(self, startup: Program, main: Program, loss_name: str) -> Program | CompiledProgram:
        strategy = self._strategy
        if strategy.mode == "collective" and fleet.worker_num() == 1:
            return main  # there is no other worker (1.8.5 refuses a single worker here)
        self._choose_rings()
        self._transpile(startup, main)
        if strategy.mode == "collective":
            return main
        strategy.num_trainers = fleet.worker_num()
        strategy.trainer_id = fleet.worker_index()
        strategy.trainers_endpoints = fleet.worker_endpoints()
        return CompiledProgram(main).with_data_parallel(
            loss_name=loss_name, build_strategy=strategy, exec_strategy=strategy.exec_strategy
        )

    def _choose_rings(self) -> None:
        """As in Fluid: one ring on one machine, and where batch norms share their statistics."""
        strategy = self._strategy
        nodes = {endpoint.rpartition(":")[0] for endpoint in fleet.worker_endpoints()}
        if len(nodes) == 1 or strategy.sync_batch_norm:
            if strategy.nccl_comm_num > 1 or strategy.use_hierarchical_allreduce:
                warn_once("fleet: one ring serves a single machine, and batch norms that share their statistics")
            strategy.nccl_comm_num, strategy.use_hierarchical_allreduce = 1, False

    def _transpile(self, startup: Program, main: Program) -> None:
        config = DistributeTranspilerConfig()
        config.mode = self._strategy.mode
        config.collective_mode = self._strategy.collective_mode
        config.nccl_comm_num = self._strategy.nccl_comm_num
        config.use_hierarchical_allreduce = self._strategy.use_hierarchical_allreduce
        config.hierarchical_allreduce_inter_nranks = self._strategy.hierarchical_allreduce_inter_nranks
        endpoints = fleet.worker_endpoints()
        DistributeTranspiler(config).transpile(
            trainer_id=fleet.worker_index(), trainers=",".join(endpoints), startup_program=startup, program=main,
            current_endpoint=endpoints[fleet.worker_index()],
        )  # fmt: skip
