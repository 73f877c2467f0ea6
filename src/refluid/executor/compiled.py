"""CompiledProgram: a program with build and execution strategies."""

from __future__ import annotations

import copy
import enum
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError
from refluid.executor.data_parallel import DataParallel, check_places
from refluid.ir.graph import Graph
from refluid.ir.program import Program

if TYPE_CHECKING:
    from refluid.core.places import Place
    from refluid.tensor.scope import Scope


class Switch:
    """A field of a strategy."""

    def __init__(self, default: object) -> None:
        self.default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, strategy: object, owner: type) -> Any:
        if strategy is None:
            return self
        return strategy.__dict__.setdefault(self.name, copy.copy(self.default))  # each object has a list of its own

    def __set__(self, strategy: object, value: object) -> None:
        wanted = self._wanted(value)
        if wanted:
            raise ArgumentError(f"{type(strategy).__name__}: {self.name} must be {wanted}, got {value!r:.60}")
        strategy.__dict__[self.name] = value

    def _wanted(self, value: Any) -> str:
        """What the field takes, if this is something else; as Fluid's C++ converts values."""
        default = self.default
        if isinstance(default, enum.Enum):
            return "" if isinstance(value, type(default)) else f"a member of {type(default).__name__}"
        if default is None:  # a field that may be unset: its kind is not told by the default
            return ""
        if isinstance(default, bool):
            return "" if value is None or hasattr(type(value), "__bool__") else "True or False"
        if isinstance(default, int):
            return "" if hasattr(type(value), "__index__") else "an int"
        if isinstance(default, str):
            return "" if isinstance(value, str | bytes) else "a str"
        return "" if isinstance(value, Iterable) and not isinstance(value, str) else f"a {type(default).__name__}"


class _Strategy:
    """A bag of switches; unknown ones are refused."""

    def __setattr__(self, name: str, value: object) -> None:
        if not isinstance(getattr(type(self), name, None), Switch):
            fields = (field for field, switch in vars(type(self)).items() if isinstance(switch, Switch))
            raise AttributeError(f"{type(self).__name__}: there is no {name!r}; it has {', '.join(fields)}")
        super().__setattr__(name, value)


class ExecutionStrategy(_Strategy):
    """How Fluid scheduled operators on threads; no field has an effect, as plans run in order.

    Example:
        >>> strategy = fluid.ExecutionStrategy()
        >>> strategy.num_threads = 4
    """

    num_threads = Switch(0)
    num_iteration_per_drop_scope = Switch(100)
    num_iteration_per_run = Switch(1)
    use_thread_barrier = Switch(False)
    allow_op_delay = Switch(False)
    use_cuda = Switch(True)
    use_experimental_executor = Switch(True)


class BuildStrategy(_Strategy):
    """Which rewrites of a program Fluid was to make.

    `gradient_scale_strategy` changes what is computed, `debug_graphviz_path` names a file that gets the graph of a
    program with data parallelism. `enable_auto_fusion` compiles runs of small operators to C++, once for the shapes of
    the feeds, which pays off where operators compute little (it needs a C++ compiler; without one there is a warning).
    `FLAGS_refluid_compile=1` does it for every program. The other fields chose between ways of computing the same.

    Example:
        >>> strategy = fluid.BuildStrategy()
        >>> strategy.gradient_scale_strategy = fluid.BuildStrategy.GradientScaleStrategy.One
        >>> compiled = fluid.CompiledProgram(fluid.default_main_program(), build_strategy=strategy)
    """

    class ReduceStrategy(enum.IntEnum):
        AllReduce = 0
        Reduce = 1

    class GradientScaleStrategy(enum.IntEnum):
        CoeffNumDevice = 0
        One = 1
        Customized = 2

    reduce_strategy = Switch(ReduceStrategy.AllReduce)
    gradient_scale_strategy = Switch(GradientScaleStrategy.CoeffNumDevice)
    debug_graphviz_path = Switch("")
    enable_sequential_execution = Switch(False)
    remove_unnecessary_lock = Switch(True)
    fuse_elewise_add_act_ops = Switch(False)
    fuse_bn_act_ops = Switch(False)
    fuse_relu_depthwise_conv = Switch(False)
    fuse_broadcast_ops = Switch(True)
    fuse_all_optimizer_ops = Switch(False)
    fuse_all_reduce_ops = Switch(True)
    sync_batch_norm = Switch(False)
    memory_optimize = Switch(None)
    enable_inplace = Switch(True)
    cache_runtime_context = Switch(False)
    num_trainers = Switch(1)
    trainer_id = Switch(0)
    trainers_endpoints = Switch([])
    is_distribution = Switch(False)
    enable_auto_fusion = Switch(False)
    async_mode = Switch(False)
    hierarchical_allreduce_inter_nranks = Switch(0)
    use_hierarchical_allreduce = Switch(False)
    nccl_comm_num = Switch(1)
    enable_backward_optimizer_op_deps = Switch(True)
    mkldnn_enabled_op_types = Switch(set())


class CompiledProgram:
    """A program with a build strategy, for Executor.run; `with_data_parallel` lets it run on several places.

    Every program is compiled when it runs, with all rewrites.

    Args:
        program_or_graph: a Program, or a Graph of one.
        build_strategy: a BuildStrategy; the default one if None.

    Example:
        >>> x = fluid.data("x", [None, 2])
        >>> loss = fluid.layers.mean(fluid.layers.fc(x, size=1))
        >>> _ = fluid.optimizer.SGD(0.1).minimize(loss)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> compiled = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(
        ...     loss_name=loss.name, places=fluid.cpu_places(2)
        ... )
        >>> exe.run(compiled, feed={"x": np.ones((4, 2), "float32")}, fetch_list=[loss])[0].shape  # a loss per place
        (2,)
    """

    def __init__(self, program_or_graph: Program | Graph, build_strategy: BuildStrategy | None = None):
        if isinstance(program_or_graph, Graph):
            program_or_graph = program_or_graph.to_program()
        if not isinstance(program_or_graph, Program):
            raise ArgumentError(f"CompiledProgram: expected a Program, got {type(program_or_graph).__name__}")
        if build_strategy is not None and not isinstance(build_strategy, BuildStrategy):
            kind = type(build_strategy).__name__
            raise ArgumentError(f"CompiledProgram: build_strategy must be a BuildStrategy, got {kind}")
        self.program = program_or_graph
        self.build_strategy = build_strategy or BuildStrategy()
        self.exec_strategy = ExecutionStrategy()
        self.parallel: DataParallel | None = None
        self.predictor: Any = None

    @property
    def _program(self) -> Program:
        return self.program

    @property
    def _is_data_parallel(self) -> bool:
        return self.parallel is not None

    @property
    def _is_inference(self) -> bool:
        return self.predictor is not None

    @property
    def _loss_name(self) -> str | None:
        return None if self.parallel is None else self.parallel.loss_name

    @property
    def _places(self) -> Sequence[Place] | None:
        return None if self.parallel is None else self.parallel.places

    def _get_places(self, place: Place, place_list: Any) -> list[Any]:
        """The places of data parallelism: those given, else CPU_NUM or all CUDA devices."""
        return list(place_list) if place_list else list(DataParallel(self.program, None, None, "One").places_for(place))

    def _compile(self, scope: Scope, place: Place) -> CompiledProgram:
        """Fluid compiles here; Executor.run does it with the feeds and fetches, which it knows first."""
        return self

    def with_data_parallel(
        self,
        loss_name: str | None = None,
        build_strategy: BuildStrategy | None = None,
        exec_strategy: ExecutionStrategy | None = None,
        share_vars_from: CompiledProgram | None = None,
        places: Place | Sequence[Place] | int | None = None,
    ) -> CompiledProgram:
        """Split every batch over several places and average their gradients.

        Args:
            loss_name: the loss, of a program that trains.
            build_strategy, exec_strategy: in place of those given before.
            share_vars_from: another program with data parallelism, whose parameters this one uses. All programs that
                run in a scope share its parameters, so this only makes sure of what was meant.
            places: a list of places; by default CPU_NUM CPU places (one if it is not set) or all CUDA devices.
        Returns:
            This object. A fetch has the values of all places one after the other: a loss has one element per place.
        """
        if self.parallel is not None:
            raise ArgumentError("with_data_parallel: this program has it already")
        if share_vars_from is not None and getattr(share_vars_from, "parallel", None) is None:
            raise ArgumentError("with_data_parallel: share_vars_from must be a CompiledProgram with data parallelism")
        self.build_strategy = build_strategy or self.build_strategy
        self.exec_strategy = exec_strategy or self.exec_strategy
        trainers, trainer_id = self.build_strategy.num_trainers, self.build_strategy.trainer_id
        if trainers > 1 and not 0 <= trainer_id < trainers:
            raise ArgumentError(
                f"with_data_parallel: build_strategy.trainer_id must be from 0 to {trainers - 1}, as {trainers} train "
                f"(num_trainers), got {trainer_id}"
            )
        scale = BuildStrategy.GradientScaleStrategy(self.build_strategy.gradient_scale_strategy)
        self.parallel = DataParallel(
            self.program,
            loss_name,
            check_places(places),
            scale.name,
            trainers,
            self.build_strategy.debug_graphviz_path,
            self.build_strategy.sync_batch_norm,
        )
        return self

    def with_inference_optimize(self, config: object) -> CompiledProgram:
        """Let Executor.run predict with the model of an AnalysisConfig or NativeConfig (1.5).

        Returns:
            This object. Executor.run then takes a list of PaddleTensors as feed, and gives a list of them.
        """
        if not hasattr(config, "predictor"):
            raise ArgumentError(
                f"with_inference_optimize: expected an AnalysisConfig or a NativeConfig, got {type(config).__name__}"
            )
        self.predictor = config.predictor()
        return self
