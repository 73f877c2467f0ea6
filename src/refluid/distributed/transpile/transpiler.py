"""DistributeTranspiler: a program for one machine rewritten for several."""

from __future__ import annotations

from typing import Any

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.distributed.environment import check_endpoints
from refluid.distributed.transpile.collective import GradAllReduce, LocalSGD, SingleProcessMultiThread
from refluid.distributed.transpile.config import DistributedMode, DistributeTranspilerConfig, ServerRuntimeConfig
from refluid.distributed.transpile.dispatch import PSDispatcher, RoundRobin
from refluid.ir.program import Program, default_main_program, default_startup_program

_COLLECTIVE_MODES: dict[str | None, Any] = {"grad_allreduce": GradAllReduce, "local_sgd": LocalSGD}


class DistributeTranspiler:
    """Rewrites programs for trainers that sum gradients among themselves (config.mode "nccl2" or "collective").

    Example:
        config = fluid.DistributeTranspilerConfig()
        config.mode = "nccl2"
        t = fluid.DistributeTranspiler(config=config)
        t.transpile(trainer_id=0, trainers="10.0.0.1:6174,10.0.0.2:6174", current_endpoint="10.0.0.1:6174")
    """

    def __init__(self, config: DistributeTranspilerConfig | None = None):
        self.config = config if config is not None else DistributeTranspilerConfig()
        if self.config.split_method is None:
            self.config.split_method = RoundRobin
        if self.config.min_block_size < 8192:
            raise ArgumentError(
                f"DistributeTranspiler: config.min_block_size must be 8192 at least, got {self.config.min_block_size}"
            )
        if not issubclass(self.config.split_method, PSDispatcher):
            raise ArgumentError(
                f"DistributeTranspiler: config.split_method is {self.config.split_method}, no PSDispatcher"
            )
        self.distributed_mode = _mode_of(self.config)
        self._set_server_config()

    def _set_server_config(self, server_config: ServerRuntimeConfig | None = None) -> None:
        if not isinstance(server_config, ServerRuntimeConfig | None):
            raise ArgumentError(f"server_config must be a ServerRuntimeConfig, got {type(server_config).__name__}")
        self.server_config = server_config or ServerRuntimeConfig()

    def transpile(
        self,
        trainer_id: int,
        program: Program | None = None,
        pservers: str = "127.0.0.1:6174",
        trainers: Any = 1,
        sync_mode: bool = True,
        startup_program: Program | None = None,
        current_endpoint: str = "127.0.0.1:6174",
        slice_var_up: bool | None = None,
        split_method: Any = None,
    ) -> None:
        """Rewrite `program` and `startup_program` (the default ones if None) for trainer `trainer_id`.

        Args:
            trainers: their endpoints, separated by commas; their number with parameter servers.
            current_endpoint: that of this trainer.
            pservers, sync_mode, slice_var_up, split_method: of parameter servers.
        """
        self.origin_program = program or default_main_program()
        self.startup_program = startup_program or default_startup_program()
        self.origin_startup_program = self.startup_program.clone()
        if self.config.mode == "nccl2":
            self._transpile_nccl2(trainer_id, trainers, current_endpoint)
        elif self.config.mode == "collective":
            self._transpile_collective(trainer_id, trainers, current_endpoint)
        elif self.config.mode == "pserver":
            raise _no_servers("transpile")
        else:
            raise ArgumentError(
                f"transpile: config.mode must be pserver, nccl2 or collective, got {self.config.mode!r}"
            )

    def _transpile_nccl2(self, trainer_id: int, trainers: Any, current_endpoint: str) -> None:
        if not isinstance(trainers, str):
            raise ArgumentError(
                "transpile: in mode nccl2 trainers are endpoints separated by commas, got "
                f"{type(trainers).__name__} {trainers!r}"
            )
        endpoints = trainers.split(",")
        check_endpoints("transpile", endpoints, trainer_id, current_endpoint)
        main: Any = self.origin_program
        main._trainers_endpoints = endpoints
        main._nccl_comm_num = self.config.nccl_comm_num
        main._use_hierarchical_allreduce = self.config.use_hierarchical_allreduce
        if self.config.use_hierarchical_allreduce:
            main._hierarchical_allreduce_inter_nranks = self._inter_nranks(len(endpoints))
        block = self.startup_program.global_block()
        for name in self._id_names():
            block.create_var(name=name, persistable=True, type=VarType.RAW)
        block.append_op(
            "gen_nccl_id", {}, {"NCCLID": block.var("NCCLID")},
            {
                "trainers": endpoints,
                "trainer_id": trainer_id,
                "nccl_comm_num": self.config.nccl_comm_num,
                "use_hierarchical_allreduce": self.config.use_hierarchical_allreduce,
                "hierarchical_allreduce_inter_nranks": self.config.hierarchical_allreduce_inter_nranks,
            },
        )  # fmt: skip

    def _id_names(self) -> list[str]:
        count = self.config.nccl_comm_num
        names = ["NCCLID", *(f"NCCLID_{i}" for i in range(1, count))]
        if self.config.use_hierarchical_allreduce:
            for i in range(count):
                names += [f"Hierarchical_inter_NCCLID_{i}", f"Hierarchical_exter_NCCLID_{i}"]
        return names

    def _inter_nranks(self, count: int) -> int:
        inside = self.config.hierarchical_allreduce_inter_nranks
        if inside <= 1 or count <= inside or count % inside:
            raise ArgumentError(
                f"transpile: hierarchical_allreduce_inter_nranks={inside} must be above 1 and divide the number of "
                f"trainers, {count}"
            )
        return inside

    def _transpile_collective(self, trainer_id: int, trainers: Any, current_endpoint: str) -> None:
        mode = self.config.collective_mode
        if mode == "single_process_multi_thread":
            made = SingleProcessMultiThread()
            trainers = trainers if isinstance(trainers, str | list) else current_endpoint
        elif mode in _COLLECTIVE_MODES:
            made = _COLLECTIVE_MODES[mode](self.config.nccl_comm_num)
        else:
            raise ArgumentError(
                "transpile: config.collective_mode must be grad_allreduce, local_sgd or single_process_multi_thread, "
                f"got {mode!r}"
            )
        if not isinstance(trainers, str | list):
            raise ArgumentError(f"transpile: trainers are endpoints, as a str or a list, got {trainers!r}")
        made.transpile(
            self.startup_program, self.origin_program, trainer_id, trainers, current_endpoint, self.config.wait_port
        )

    # -- of parameter servers -----------------------------------------------------------------------------------

    def get_trainer_program(self, wait_port: bool = True) -> Program:
        """The program of a trainer with parameter servers."""
        raise _no_servers("get_trainer_program")

    def get_pserver_program(self, endpoint: str) -> Program:
        """The program of a server."""
        raise _no_servers("get_pserver_program")

    def get_pserver_programs(self, endpoint: str) -> tuple[Program, Program]:
        """The main and the startup program of a server."""
        raise _no_servers("get_pserver_programs")

    def get_startup_program(
        self, endpoint: str, pserver_program: Program | None = None, startup_program: Program | None = None
    ) -> Program:
        """The startup program of a server."""
        raise _no_servers("get_startup_program")


class GeoSgdTranspiler(DistributeTranspiler):
    """Trainers with parameter servers that exchange how far parameters have moved, now and then."""


def _mode_of(config: DistributeTranspilerConfig) -> int:
    if config.sync_mode or config.completely_not_async:
        return DistributedMode.SYNC
    return DistributedMode.ASYNC if config.runtime_split_send_recv else DistributedMode.HALF_ASYNC


def _no_servers(what: str) -> EnforceNotMet:
    return EnforceNotMet(
        f"DistributeTranspiler.{what}: parameter servers are not there yet; config.mode 'nccl2' and 'collective' are"
    )
