"""CompiledProgram: a program with build and execution strategies."""

from __future__ import annotations

import enum
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.executor.data_parallel import DataParallel, check_places
from refluid.ir.program import Program


class _Strategy:
    """A bag of named switches; unknown ones are refused."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__}: there is no {name!r}; it has {', '.join(self.__dict__)}")

    def __init__(self) -> None:
        for name, value in self._defaults().items():
            object.__setattr__(self, name, value)

    def _defaults(self) -> dict[str, Any]:
        raise NotImplementedError

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise ArgumentError(f"{type(self).__name__}: there is no {name!r}; it has {', '.join(self.__dict__)}")
        object.__setattr__(self, name, value)


class ExecutionStrategy(_Strategy):
    """How Fluid scheduled operators on threads. Plans run in order; torch threads the kernels."""

    def _defaults(self) -> dict[str, Any]:
        return {
            "num_threads": 0, "num_iteration_per_drop_scope": 100, "num_iteration_per_run": 1,
            "use_thread_barrier": False, "allow_op_delay": False, "use_cuda": False,
        }  # fmt: skip


class BuildStrategy(_Strategy):
    """Which rewrites of a program are allowed."""

    class ReduceStrategy(enum.IntEnum):
        AllReduce = 0
        Reduce = 1

    class GradientScaleStrategy(enum.IntEnum):
        CoeffNumDevice = 0
        One = 1
        Customized = 2

    def _defaults(self) -> dict[str, Any]:
        return {
            "reduce_strategy": self.ReduceStrategy.AllReduce,
            "gradient_scale_strategy": self.GradientScaleStrategy.CoeffNumDevice,
            "debug_graphviz_path": "", "enable_sequential_execution": False, "remove_unnecessary_lock": True,
            "fuse_elewise_add_act_ops": False, "fuse_bn_act_ops": False, "fuse_relu_depthwise_conv": False,
            "fuse_broadcast_ops": False, "fuse_all_optimizer_ops": False, "fuse_all_reduce_ops": False,
            "sync_batch_norm": False, "memory_optimize": None, "enable_inplace": True, "cache_runtime_context": False,
            "num_trainers": 1, "trainer_id": 0, "trainers_endpoints": [], "enable_auto_fusion": False,
            "async_mode": False, "hierarchical_allreduce_inter_nranks": 0, "use_hierarchical_allreduce": False,
            "nccl_comm_num": 1, "enable_backward_optimizer_op_deps": True, "mkldnn_enabled_op_types": set(),
        }  # fmt: skip


class CompiledProgram:
    """A program to be run by Executor.run, with a build strategy; `with_data_parallel` lets it run on several places.

    Every program is compiled when it runs. Of the strategies, `gradient_scale_strategy` changes what is computed; the
    others chose between ways of computing the same, and are kept for those who read them.
    """

    def __init__(self, program_or_graph: Program, build_strategy: BuildStrategy | None = None):
        if not isinstance(program_or_graph, Program):
            raise ArgumentError(f"CompiledProgram: expected a Program, got {type(program_or_graph).__name__}")
        self.program = program_or_graph
        self.build_strategy = build_strategy or BuildStrategy()
        self.exec_strategy = ExecutionStrategy()
        self.parallel: DataParallel | None = None

    @property
    def _program(self) -> Program:
        return self.program

    def with_data_parallel(
        self,
        loss_name: str | None = None,
        build_strategy: BuildStrategy | None = None,
        exec_strategy: ExecutionStrategy | None = None,
        share_vars_from: CompiledProgram | None = None,
        places: Any = None,
    ) -> CompiledProgram:
        """Split every batch over several places and average their gradients.

        Args:
            loss_name: the loss, of a program that trains.
            build_strategy, exec_strategy: in place of those given before.
            share_vars_from: another program with data parallelism, whose parameters this one uses. All programs that
                run in a scope share its parameters, so this only makes sure of what was meant.
            places: a list of places; by default CPU_NUM CPU places (all cores if it is not set) or all CUDA devices.
        Returns:
            This object. A fetch has the values of all places one after the other: a loss has one element per place.
        """
        if self.parallel is not None:
            raise ArgumentError("with_data_parallel: this program has it already")
        if share_vars_from is not None and getattr(share_vars_from, "parallel", None) is None:
            raise ArgumentError("with_data_parallel: share_vars_from must be a CompiledProgram with data parallelism")
        self.build_strategy = build_strategy or self.build_strategy
        self.exec_strategy = exec_strategy or self.exec_strategy
        if self.build_strategy.num_trainers > 1:
            raise ArgumentError(
                f"with_data_parallel: build_strategy.num_trainers={self.build_strategy.num_trainers}, but this runs on "
                "the places of one machine"
            )
        scale = BuildStrategy.GradientScaleStrategy(self.build_strategy.gradient_scale_strategy)
        self.parallel = DataParallel(self.program, loss_name, check_places(places), scale.name)
        return self
