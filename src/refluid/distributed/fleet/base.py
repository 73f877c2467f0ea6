"""Fleet and DistributedOptimizer: what all modes of fleet have in common."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.core.places import CPUPlace
from refluid.distributed.fleet.roles import PaddleCloudRoleMaker, RoleMakerBase
from refluid.executor.executor import Executor
from refluid.optim.optimizer import Optimizer, Parameters

if TYPE_CHECKING:
    import numpy as np

    from refluid.ir.base_variable import BaseVariable
    from refluid.ir.operator import Operator
    from refluid.ir.program import Program
    from refluid.optim.clip import Pairs


class Mode:
    """The libraries that a training of several processes is built on."""

    TRANSPILER = 1
    PSLIB = 2
    COLLECTIVE = 3


class Fleet:
    """All processes of a training, as one of them sees it."""

    def __init__(self, mode: int):
        self._mode = mode
        self._is_initialized = False
        self._optimizer: Any = None
        self._role_maker: RoleMakerBase | None = None
        self._executor: Executor | None = None

    @property
    def _roles(self) -> RoleMakerBase:
        if self._role_maker is None:
            raise EnforceNotMet("fleet: call fleet.init(role_maker) first")
        return self._role_maker

    def init(self, role_maker: RoleMakerBase | None = None) -> None:
        """Set the role of this process; from the environment if no role maker is passed."""
        if role_maker is None:
            role_maker = PaddleCloudRoleMaker(is_collective=self._mode == Mode.COLLECTIVE)
        if not isinstance(role_maker, RoleMakerBase):
            raise ArgumentError(f"fleet.init: role_maker must be a RoleMakerBase, got {type(role_maker).__name__}")
        self._executor = Executor(CPUPlace())
        role_maker.generate_role()
        self._role_maker = role_maker
        self._is_initialized = True

    def is_first_worker(self) -> bool:
        return self._roles.is_first_worker()

    def worker_index(self) -> int:
        return self._roles.worker_index()

    def worker_num(self) -> int:
        return self._roles.worker_num()

    def is_worker(self) -> bool:
        return self._roles.is_worker()

    def worker_endpoints(self, to_string: bool = False) -> str | list[str]:
        """Where workers listen: a list, or a str with commas."""
        found = self._roles.get_trainer_endpoints()
        return ",".join(found) if to_string else found

    def server_num(self) -> int:
        return len(self._roles.get_pserver_endpoints())

    def server_index(self) -> int:
        return self._roles.server_index()

    def server_endpoints(self, to_string: bool = False) -> str | list[str]:
        """Where servers listen: a list, or a str with commas."""
        found = self._roles.get_pserver_endpoints()
        return ",".join(found) if to_string else found

    def is_server(self) -> bool:
        return self._roles.is_server()

    def split_files(self, files: list[str]) -> list[str]:
        """This worker's contiguous share of a list; the first workers get one more if it is not divisible."""
        if not isinstance(files, list):
            raise ArgumentError(f"split_files: files must be a list, got {type(files).__name__}")
        share, rest = divmod(len(files), self.worker_num())
        number = self.worker_index()
        start = number * share + min(number, rest)
        return files[start : start + share + (number < rest)]

    def all_reduce_worker(self, input: np.ndarray, output: np.ndarray) -> None:
        """Put the sum of every worker's `input`, a row of numbers, into `output`."""
        self._roles.all_reduce_worker(input, output)

    def barrier_worker(self) -> None:
        """Wait until every worker is here."""
        self._roles.barrier_worker()


class DistributedOptimizer:
    """An optimizer for several processes, around one for a single process."""

    def __init__(self, optimizer: Any, strategy: Any = None):
        if not isinstance(optimizer, Optimizer) and not isinstance(getattr(optimizer, "_optimizer", None), Optimizer):
            raise ArgumentError(f"DistributedOptimizer: optimizer must be an Optimizer, got {type(optimizer).__name__}")
        self._optimizer = optimizer
        self._strategy = strategy

    def backward(
        self,
        loss: BaseVariable,
        startup_program: Program | None = None,
        parameter_list: Parameters = None,
        no_grad_set: Collection[BaseVariable | str] | None = None,
        callbacks: Sequence[Callable] | None = None,
    ) -> Pairs:
        """Append the backward pass; [(parameter, gradient)]."""
        return self._optimizer.backward(loss, startup_program, parameter_list, no_grad_set, callbacks)

    def apply_gradients(self, params_grads: Pairs) -> list[Operator]:
        """Append the updates."""
        return self._optimizer.apply_gradients(params_grads)
