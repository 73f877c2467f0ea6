"""paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy: strategies."""

from refluid.distributed.fleet.strategies import (
    AsyncStrategy as AsyncStrategy,
    DistributedStrategy as DistributedStrategy,
    GeoStrategy as GeoStrategy,
    HalfAsyncStrategy as HalfAsyncStrategy,
    StrategyFactory as StrategyFactory,
    SyncStrategy as SyncStrategy,
    TrainerRuntimeConfig as TrainerRuntimeConfig,
)

__all__ = [
    "AsyncStrategy",
    "DistributedStrategy",
    "GeoStrategy",
    "HalfAsyncStrategy",
    "StrategyFactory",
    "SyncStrategy",
    "TrainerRuntimeConfig",
]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
