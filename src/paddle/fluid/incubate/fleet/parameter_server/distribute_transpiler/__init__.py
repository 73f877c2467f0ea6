"""paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler: fleet by DistributeTranspiler."""

from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (
    distributed_strategy as distributed_strategy,
)
from refluid.distributed.fleet.servers import (
    DistributedTranspiler as DistributedTranspiler,
    TranspilerOptimizer as TranspilerOptimizer,
    fleet as fleet,
)
from refluid.distributed.fleet.strategies import (
    AsyncStrategy as AsyncStrategy,
    DistributedStrategy as DistributedStrategy,
    GeoStrategy as GeoStrategy,
    HalfAsyncStrategy as HalfAsyncStrategy,
    StrategyFactory as StrategyFactory,
    SyncStrategy as SyncStrategy,
    TrainerRuntimeConfig as TrainerRuntimeConfig,
)
from refluid.distributed.transpile.config import (
    DistributedMode as DistributedMode,
    DistributeTranspilerConfig as DistributeTranspilerConfig,
    ServerRuntimeConfig as ServerRuntimeConfig,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
