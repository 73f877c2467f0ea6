"""CompiledProgram: a program with build and execution strategies."""

from __future__ import annotations

import enum
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.ir.program import Program


class _Strategy:
    """A bag of named switches; unknown ones are refused."""

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
    """A program to be run by Executor.run, with a build strategy.

    Every program is compiled when it runs; the strategies are kept for those who read them.
    """

    def __init__(self, program_or_graph: Program, build_strategy: BuildStrategy | None = None):
        if not isinstance(program_or_graph, Program):
            raise ArgumentError(f"CompiledProgram: expected a Program, got {type(program_or_graph).__name__}")
        self.program = program_or_graph
        self.build_strategy = build_strategy or BuildStrategy()

    @property
    def _program(self) -> Program:
        return self.program
