"""ParallelExecutor: data parallelism under the name that it had before CompiledProgram."""

from __future__ import annotations

from typing import Any

from refluid.core import memory
from refluid.core.errors import ArgumentError
from refluid.core.places import CPUPlace, cuda_places
from refluid.executor.compiled import BuildStrategy, CompiledProgram, ExecutionStrategy
from refluid.executor.executor import Executor, Feed, Fetches
from refluid.ir import program as programs
from refluid.ir.program import Program
from refluid.tensor.scope import Scope


class ParallelExecutor:
    """Runs one program on all places of a machine; see CompiledProgram.with_data_parallel.

    Args:
        use_cuda: run on all CUDA devices; else on CPU_NUM CPU places.
        loss_name: the name of the loss, of a program that trains.
        main_program: the program; the default main program if None.
        share_vars_from: a ParallelExecutor whose parameters this one uses.
        exec_strategy: an ExecutionStrategy; it has no effect.
        build_strategy: a BuildStrategy; the default one if None.
        num_trainers: the number of processes that train together, which a startup program with gen_nccl_id has met or
            launch tells of. Where nobody was met gradients are divided by it all the same.
        trainer_id: the number of this process.
        scope: the scope of the parameters; that of share_vars_from, else the global scope if None.

    Example:
        >>> x = fluid.data("x", [None, 2])
        >>> y = fluid.layers.fc(x, size=1)
        >>> _ = fluid.Executor(fluid.CPUPlace()).run(fluid.default_startup_program())
        >>> parallel = fluid.ParallelExecutor(use_cuda=False, main_program=fluid.default_main_program())
        >>> parallel.run([y.name], feed={"x": np.ones((4, 2), "float32")})[0].shape
        (4, 1)
    """

    def __init__(
        self,
        use_cuda: bool = False,
        loss_name: str | None = None,
        main_program: Program | None = None,
        share_vars_from: ParallelExecutor | None = None,
        exec_strategy: ExecutionStrategy | None = None,
        build_strategy: BuildStrategy | None = None,
        num_trainers: int = 1,
        trainer_id: int = 0,
        scope: Scope | None = None,
    ):
        if share_vars_from is not None and not isinstance(share_vars_from, ParallelExecutor):
            kind = type(share_vars_from).__name__
            raise ArgumentError(f"ParallelExecutor: share_vars_from must be a ParallelExecutor, got {kind}")
        strategy = build_strategy or BuildStrategy()
        strategy.num_trainers, strategy.trainer_id = num_trainers, trainer_id
        self._executor = Executor(cuda_places()[0] if use_cuda else CPUPlace())
        other: CompiledProgram | None = None if share_vars_from is None else share_vars_from._compiled
        self._compiled: CompiledProgram = CompiledProgram(main_program or programs.default_main_program())
        self._compiled.with_data_parallel(loss_name, strategy, exec_strategy, other)
        self._scope: Scope | None = scope if share_vars_from is None else share_vars_from._scope

    @property
    def device_count(self) -> int:
        assert self._compiled.parallel is not None
        return len(self._compiled.parallel.places_for(self._executor.place))

    def run(
        self, fetch_list: Fetches = (), feed: object = None, feed_dict: Feed | None = None, return_numpy: bool = True
    ) -> list[Any]:
        """Run the program.

        Args:
            fetch_list: variables or names whose values to return.
            feed: a dict, whose values are split over the places, or a list with a dict per place.
            feed_dict: an older name of feed.
            return_numpy: numpy arrays; LoDTensors if False.
        """
        feed = feed_dict if feed is None else feed
        return self._executor.run(
            self._compiled, feed=feed, fetch_list=fetch_list, scope=self._scope, return_numpy=return_numpy
        )

    def drop_local_exe_scopes(self) -> None:
        """Give memory that is kept for the next run back to the system."""
        memory.give_back()
