"""DistributeTranspiler: a program for one machine rewritten for several."""

from __future__ import annotations

from typing import Any

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.distributed import server_ops as server_ops  # register
from refluid.distributed.environment import check_endpoints
from refluid.distributed.lookup_table import find_distributed_lookup_table
from refluid.distributed.persist import operators as operators  # registers the operators, and how programs are saved
from refluid.distributed.server import (
    emit as emit,  # registers the operators
    lookup_steps as lookup_steps,
    table_steps as table_steps,
)
from refluid.distributed.transpile.collective import GradAllReduce, LocalSGD, SingleProcessMultiThread
from refluid.distributed.transpile.config import DistributedMode, DistributeTranspilerConfig, ServerRuntimeConfig
from refluid.distributed.transpile.details import wait_server_ready
from refluid.distributed.transpile.dispatch import PSDispatcher, RoundRobin
from refluid.distributed.transpile.placement import VarsDistributed
from refluid.distributed.transpile.pserver.cutting import cut
from refluid.distributed.transpile.pserver.geo import (
    about_variables,
    cut_for_geo,
    geo_server_program,
    write_geo_trainer,
)
from refluid.distributed.transpile.pserver.job import Job
from refluid.distributed.transpile.pserver.placement_notes import note_counters, note_parameters, note_states
from refluid.distributed.transpile.pserver.server import server_program
from refluid.distributed.transpile.pserver.server_startup import server_startup
from refluid.distributed.transpile.pserver.strip import strip_trainer
from refluid.distributed.transpile.pserver.table import use_table
from refluid.distributed.transpile.pserver.trainer import write_trainer
from refluid.distributed.transpile.pserver.trainer_startup import write_startup
from refluid.distributed.transpile.pserver.updates import read_updates
from refluid.ir.program import Program, default_main_program, default_startup_program

_COLLECTIVE_MODES: dict[str | None, Any] = {"grad_allreduce": GradAllReduce, "local_sgd": LocalSGD}


class DistributeTranspiler:
    """Rewrites programs for several processes.

    With config.mode "pserver" (the default), servers hold the parameters: trainers send gradients and fetch parameters.
    With "nccl2" and "collective" trainers sum gradients among themselves.

    Args:
        config: a DistributeTranspilerConfig; the default one if None.

    Example:
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 3]), size=1))
        >>> _ = fluid.optimizer.SGD(0.1).minimize(loss)
        >>> transpiler = fluid.DistributeTranspiler()
        >>> transpiler.transpile(trainer_id=0, pservers="10.0.0.1:6174,10.0.0.2:6174", trainers=2)
        >>> program, startup = transpiler.get_pserver_programs("10.0.0.1:6174")  # on the first server
        >>> [op.type for op in program.global_block().ops]
        ['listen_and_serv']
    """

    def __init__(self, config: DistributeTranspilerConfig | None = None):
        self.config = config if config is not None else DistributeTranspilerConfig()
        if self.config.split_method is None:
            self.config.split_method = RoundRobin
        if self.config.min_block_size < 8192:
            raise ArgumentError(
                f"DistributeTranspiler: config.min_block_size must be 8192 at least, got {self.config.min_block_size}"
            )
        _dispatcher(self.config.split_method)
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
            pservers: the endpoints of parameter servers, separated by commas.
            sync_mode: servers wait for the gradients of all trainers.
            slice_var_up, split_method: those of the config, if given.
        """
        self.origin_program = program or default_main_program()
        self.startup_program = startup_program or default_startup_program()
        self.origin_startup_program = self.startup_program.clone()
        if self.config.mode == "nccl2":
            self._transpile_nccl2(trainer_id, trainers, current_endpoint)
        elif self.config.mode == "collective":
            self._transpile_collective(trainer_id, trainers, current_endpoint)
        elif self.config.mode == "pserver":
            self._transpile_servers(
                trainer_id, pservers, trainers, sync_mode, current_endpoint, slice_var_up, split_method
            )
        else:
            raise ArgumentError(
                f"transpile: config.mode must be pserver, nccl2 or collective, got {self.config.mode!r}"
            )

    def _transpile_nccl2(self, trainer_id: int, trainers: int | str, current_endpoint: str) -> None:
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

    def _transpile_collective(self, trainer_id: int, trainers: int | str, current_endpoint: str) -> None:
        mode = self.config.collective_mode
        if mode == "single_process_multi_thread":
            transpiler = SingleProcessMultiThread()
            trainers = trainers if isinstance(trainers, str | list) else current_endpoint
        elif mode in _COLLECTIVE_MODES:
            transpiler = _COLLECTIVE_MODES[mode](self.config.nccl_comm_num)
        else:
            raise ArgumentError(
                "transpile: config.collective_mode must be grad_allreduce, local_sgd or single_process_multi_thread, "
                f"got {mode!r}"
            )
        if not isinstance(trainers, str | list):
            raise ArgumentError(f"transpile: trainers are endpoints, as a str or a list, got {trainers!r}")
        transpiler.transpile(
            self.startup_program, self.origin_program, trainer_id, trainers, current_endpoint, self.config.wait_port
        )

    # -- of parameter servers -----------------------------------------------------------------------------------

    def _transpile_servers(
        self, trainer_id: int, pservers: str, trainers: int | str, sync_mode: bool, current_endpoint: str,
        slice_var_up: bool | None, split_method: type[PSDispatcher],
    ) -> None:  # fmt: skip
        if slice_var_up is not None:
            self.config.slice_var_up = slice_var_up
        if split_method is not None:
            self.config.split_method = _dispatcher(split_method)
        if sync_mode is False and self.config.sync_mode:  # the call alone says so
            self.config.sync_mode = False
            self.distributed_mode = _mode_of(self.config)
        self._job = job = self._make_job(trainer_id, pservers, trainers, bool(sync_mode and self.config.sync_mode))
        self._describe(current_endpoint)
        self._rewrite(job)
        self.vars_overview = self._note(job)
        main: Any = self.origin_program
        main._parameters_on_pservers = self.vars_overview
        # Server programs are written from copies, so that they may be requested in any order.
        self._source = self.origin_program.clone(), self.startup_program.clone()

    def _make_job(self, trainer_id: int, pservers: str, trainers: int | str, sync: bool) -> Job:
        if isinstance(trainers, bool) or not isinstance(trainers, int) or trainers < 1:
            raise ArgumentError(
                f"transpile: with servers trainers is their number, got {type(trainers).__name__} {trainers!r}"
            )
        self.trainer_num, self.trainer_id, self.sync_mode = trainers, trainer_id, sync
        self.pserver_endpoints = pservers.split(",")
        self.table_name = find_distributed_lookup_table(self.origin_program)
        self.has_distributed_lookup_table = self.table_name is not None
        return Job(
            self.origin_program, self.startup_program, self.config, self.server_config, self.pserver_endpoints,
            trainers, trainer_id, sync, self.distributed_mode, read_updates(self.origin_program.global_block()),
            self.table_name,
        )  # fmt: skip

    def _describe(self, current_endpoint: str) -> None:
        main: Any = self.origin_program
        main._is_distributed = True
        main._endpoints = self.pserver_endpoints
        main._trainer_id = self.trainer_id
        main._trainers = self.startup_program._trainers = self.trainer_num
        main._ps_endpoint = current_endpoint
        main._is_chief = self.trainer_id == 0
        main._distributed_lookup_table = self.table_name

    def _rewrite(self, job: Job) -> None:
        cut(job)
        write_trainer(job)
        write_startup(job)
        if job.table is not None:
            use_table(job)

    def _note(self, job: Job) -> VarsDistributed:
        """The placement of everything that servers hold."""
        notes = note_parameters(job)
        note_states(job, notes)
        note_counters(job, notes)
        return notes

    def _transpiled(self, what: str, endpoint: str | None = None) -> Job:
        job = getattr(self, "_job", None)
        if job is None:
            raise EnforceNotMet(f"DistributeTranspiler.{what}: call transpile with config.mode 'pserver' first")
        if endpoint is not None and endpoint not in job.endpoints:
            raise ArgumentError(
                f"DistributeTranspiler.{what}: there is no server {endpoint}; transpile was told of "
                f"{', '.join(job.endpoints)}"
            )
        return job

    def get_trainer_program(self, wait_port: bool = True) -> Program:
        """The program of a trainer; unless `wait_port` is False, wait until all servers listen."""
        strip_trainer(self._transpiled("get_trainer_program"))
        if wait_port:
            wait_server_ready(self.pserver_endpoints)
        return self.origin_program

    def get_pserver_program(self, endpoint: str) -> Program:
        """The program of a server."""
        job = self._transpiled("get_pserver_program", endpoint)
        self.pserver_program = server_program(job, self._source[0], endpoint)
        return self.pserver_program

    def get_pserver_programs(self, endpoint: str) -> tuple[Program, Program]:
        """The main and the startup program of a server."""
        main = self.get_pserver_program(endpoint)
        return main, self.get_startup_program(endpoint, main)

    def get_startup_program(
        self, endpoint: str, pserver_program: Program | None = None, startup_program: Program | None = None
    ) -> Program:
        """The startup program of a server; `startup_program` is taken for compatibility, transpile knows it."""
        job = self._transpiled("get_startup_program", endpoint)
        main = pserver_program or self.get_pserver_program(endpoint)
        startup = server_startup(job, self._source[1], endpoint, main)
        startup._copy_dist_param_info_from(main)  # so that load_persistables knows the pieces
        return startup


class GeoSgdTranspiler(DistributeTranspiler):
    """Trainers with parameter servers that exchange parameter deltas every few steps."""

    def _make_job(self, trainer_id: int, pservers: str, trainers: int | str, sync: bool) -> Job:
        return super()._make_job(trainer_id, pservers, trainers, sync=False)

    def _rewrite(self, job: Job) -> None:
        cut_for_geo(job)
        write_geo_trainer(job)

    def _note(self, job: Job) -> VarsDistributed:
        return note_parameters(job)  # trainers keep the states of optimizers

    def _get_vars_info(self) -> dict[str, dict[str, list[str]]]:
        return about_variables(self._transpiled("_get_vars_info"))

    def get_trainer_program(self, wait_port: bool = True) -> Program:
        """The program of a trainer: it updates parameters by itself."""
        self._transpiled("get_trainer_program")
        if wait_port:
            wait_server_ready(self.pserver_endpoints)
        return self.origin_program

    def get_pserver_program(self, endpoint: str) -> Program:
        """The program of a server."""
        self.pserver_program = geo_server_program(self._transpiled("get_pserver_program", endpoint), endpoint)
        return self.pserver_program


def _dispatcher(split_method: type[PSDispatcher]) -> type[PSDispatcher]:
    if not (isinstance(split_method, type) and issubclass(split_method, PSDispatcher)):
        raise ArgumentError(f"DistributeTranspiler: split_method must be a PSDispatcher class, got {split_method!r}")
    return split_method


def _mode_of(config: DistributeTranspilerConfig) -> int:
    if config.sync_mode or config.completely_not_async:
        return DistributedMode.SYNC
    return DistributedMode.ASYNC if config.runtime_split_send_recv else DistributedMode.HALF_ASYNC
