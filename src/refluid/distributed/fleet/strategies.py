"""Strategies of trainings with parameter servers: synchronization, and how often they exchange."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, TypeVar

from refluid.core.errors import ArgumentError
from refluid.distributed.transpile.config import DistributedMode, DistributeTranspilerConfig, ServerRuntimeConfig
from refluid.executor.compiled import BuildStrategy, ExecutionStrategy

T = TypeVar("T")

# name: its default; None: the number of threads (CPU_NUM)
_COMMUNICATOR = {
    "communicator_max_merge_var_num": None,
    "communicator_send_queue_size": None,
    "communicator_independent_recv_thread": "1",
    "communicator_min_send_grad_num_before_recv": None,
    "communicator_thread_pool_size": "5",
    "communicator_send_wait_times": "5",
    "communicator_is_sgd_optimizer": "1",
    "rpc_deadline": "180000",
    "rpc_retry_times": "3",
}
_SYNC_FLAGS = (
    "communicator_max_merge_var_num", "communicator_send_wait_times", "communicator_thread_pool_size",
    "communicator_send_queue_size",
)  # fmt: skip
_GEO_FLAGS = ("communicator_thread_pool_size", "communicator_send_wait_times")


class TrainerRuntimeConfig:
    """Settings of a trainer's communicator: FLAGS_communicator_* of the environment, or as set."""

    def __init__(self) -> None:
        self.mode: int | None = None
        threads = os.getenv("CPU_NUM", "1")
        self.runtime_configs = {
            name: os.getenv(f"FLAGS_{name}", default or threads) for name, default in _COMMUNICATOR.items()
        }

    def get_communicator_flags(self) -> dict[str, str]:
        """The settings that the mode uses."""
        names: Iterable[str]
        if self.mode in (None, DistributedMode.ASYNC):
            names = self.runtime_configs
        elif self.mode in (DistributedMode.SYNC, DistributedMode.HALF_ASYNC):
            names = _SYNC_FLAGS
            threads = os.getenv("CPU_NUM", "1")  # every step is one exchange, so these are fixed
            self.runtime_configs["communicator_max_merge_var_num"] = threads
            self.runtime_configs["communicator_send_queue_size"] = threads
        elif self.mode == DistributedMode.GEO:
            names = _GEO_FLAGS
        else:
            raise ArgumentError(f"TrainerRuntimeConfig: there is no mode {self.mode}")
        return {name: str(self.runtime_configs[name]) for name in names}

    def display(self, configs: dict[str, Any]) -> str:
        """Settings as a table."""
        rows = [f"{name:<45s}{value:<5s}" for name, value in configs.items()]
        head = f"{'TrainerRuntimeConfig Overview':^45s}{'Value':<5s}"
        return "\n".join(["", "=" * 50, head, "-" * 50, *rows, "=" * 50, ""])

    def __repr__(self) -> str:
        return self.display(self.get_communicator_flags())


class DistributedStrategy:
    """Base of strategies: use StrategyFactory."""

    mode: int | None = None

    def __init__(self) -> None:
        self._program_config = DistributeTranspilerConfig()
        self._trainer_runtime_config = TrainerRuntimeConfig()
        self._server_runtime_config = ServerRuntimeConfig()
        self._execute_strategy = ExecutionStrategy()
        self._build_strategy = BuildStrategy()
        threads = int(os.getenv("CPU_NUM", "1"))
        self._execute_strategy.num_threads = threads
        if threads > 1:
            self._build_strategy.reduce_strategy = BuildStrategy.ReduceStrategy.Reduce
        self.debug_opt: dict[str, Any] | None = None
        self._check()

    def _check(self) -> None:
        if type(self) is DistributedStrategy:
            return
        self.check_program_config()
        self.check_trainer_runtime_config()
        self.check_server_runtime_config()
        self.check_build_strategy()
        self.check_execute_strategy()

    # -- settings that a strategy fixes -----------------------------------------------------------------------------

    def check_program_config(self) -> None:
        self._own()
        self._program_config.sync_mode = False
        self._program_config.runtime_split_send_recv = True

    def check_trainer_runtime_config(self) -> None:
        self._own()
        self._trainer_runtime_config.mode = self.mode

    def check_server_runtime_config(self) -> None:
        self._own()

    def check_execute_strategy(self) -> None:
        self._own()

    def check_build_strategy(self) -> None:
        self._own()
        self._build_strategy.async_mode = True

    def _own(self) -> None:
        if self.mode is None:
            raise NotImplementedError("DistributedStrategy is a base: make a strategy with StrategyFactory")

    # -- settings -----------------------------------------------------------------------------------------------

    def get_program_config(self) -> DistributeTranspilerConfig:
        return self._program_config

    def set_program_config(self, config: object) -> None:
        self._program_config = _changed(self._program_config, config, DistributeTranspilerConfig)
        self.check_program_config()

    def get_trainer_runtime_config(self) -> TrainerRuntimeConfig:
        return self._trainer_runtime_config

    def set_trainer_runtime_config(self, config: object) -> None:
        if isinstance(config, dict):
            unknown = config.keys() - self._trainer_runtime_config.runtime_configs.keys()
            if unknown:
                raise ArgumentError(f"TrainerRuntimeConfig has no {', '.join(sorted(unknown))}")
            self._trainer_runtime_config.runtime_configs.update(config)
        else:
            self._trainer_runtime_config = _changed(self._trainer_runtime_config, config, TrainerRuntimeConfig)
        self.check_trainer_runtime_config()

    def get_server_runtime_config(self) -> ServerRuntimeConfig:
        return self._server_runtime_config

    def set_server_runtime_config(self, config: object) -> None:
        self._server_runtime_config = _changed(self._server_runtime_config, config, ServerRuntimeConfig)
        self.check_server_runtime_config()

    def get_execute_strategy(self) -> ExecutionStrategy:
        return self._execute_strategy

    def set_execute_strategy(self, config: object) -> None:
        self._execute_strategy = _changed(self._execute_strategy, config, ExecutionStrategy)
        self.check_execute_strategy()

    def get_build_strategy(self) -> BuildStrategy:
        return self._build_strategy

    def set_build_strategy(self, config: object) -> None:
        self._build_strategy = _changed(self._build_strategy, config, BuildStrategy)
        self.check_build_strategy()

    def get_debug_opt(self) -> dict[str, Any]:
        """What to dump while training; {} if set_debug_opt was not called."""
        if not isinstance(self.debug_opt, dict):
            return {}
        options = self.debug_opt
        return {
            "dump_slot": bool(options.get("dump_slot", 0)),
            "dump_converter": str(options.get("dump_converter", "")),
            "dump_fields": options.get("dump_fields", []),
            "dump_file_num": options.get("dump_file_num", 16),
            "dump_fields_path": options.get("dump_fields_path", ""),
            "dump_param": options.get("dump_param", []),
        }

    def set_debug_opt(self, opt_info: dict[str, Any]) -> None:
        self.debug_opt = opt_info


class SyncStrategy(DistributedStrategy):
    """All trainers wait for one another."""

    mode = DistributedMode.SYNC

    def check_program_config(self) -> None:
        super().check_program_config()
        self._program_config.half_async = True
        self._program_config.completely_not_async = True

    def check_execute_strategy(self) -> None:
        self._execute_strategy.use_thread_barrier = True


class AsyncStrategy(DistributedStrategy):
    """No trainer waits for another."""

    mode = DistributedMode.ASYNC


class HalfAsyncStrategy(DistributedStrategy):
    """The threads of a trainer wait for one another, trainers do not."""

    mode = DistributedMode.HALF_ASYNC

    def check_program_config(self) -> None:
        super().check_program_config()
        self._program_config.half_async = True

    def check_execute_strategy(self) -> None:
        self._execute_strategy.use_thread_barrier = True


class GeoStrategy(DistributedStrategy):
    """Trainers update their own parameters and exchange deltas every `update_frequency` steps."""

    mode = DistributedMode.GEO

    def __init__(self, update_frequency: int = 100):
        super().__init__()
        self._program_config.geo_sgd_need_push_nums = update_frequency

    def check_program_config(self) -> None:
        super().check_program_config()
        self._program_config.geo_sgd_mode = True


class StrategyFactory:
    """Makes strategies."""

    @staticmethod
    def create_sync_strategy() -> SyncStrategy:
        return SyncStrategy()

    @staticmethod
    def create_half_async_strategy() -> HalfAsyncStrategy:
        return HalfAsyncStrategy()

    @staticmethod
    def create_async_strategy() -> AsyncStrategy:
        return AsyncStrategy()

    @staticmethod
    def create_geo_strategy(update_frequency: int = 100) -> GeoStrategy:
        return GeoStrategy(update_frequency)


def _changed(old: T, new: object, kind: type[T]) -> T:
    """The settings passed, or the old ones updated by a dict."""
    if isinstance(new, kind):
        return new
    if not isinstance(new, dict):
        raise ArgumentError(f"expected a {kind.__name__} or a dict, got {type(new).__name__}")
    for name, value in new.items():
        if not hasattr(old, name):
            raise ArgumentError(f"{kind.__name__} has no {name!r}")
        setattr(old, name, value)
    return old
