"""paddle.fluid.transpiler: programs rewritten."""

from paddle.fluid.transpiler import (
    collective as collective,
    details as details,
    distribute_transpiler as distribute_transpiler,
    geo_sgd_transpiler as geo_sgd_transpiler,
    memory_optimization_transpiler as memory_optimization_transpiler,
    ps_dispatcher as ps_dispatcher,
)
from refluid.contrib.memory import memory_optimize as memory_optimize, release_memory as release_memory
from refluid.distributed.transpile.config import DistributeTranspilerConfig as DistributeTranspilerConfig
from refluid.distributed.transpile.dispatch import HashName as HashName, RoundRobin as RoundRobin
from refluid.distributed.transpile.transpiler import DistributeTranspiler as DistributeTranspiler

__all__ = [
    "DistributeTranspiler",
    "DistributeTranspilerConfig",
    "HashName",
    "RoundRobin",
    "memory_optimize",
    "release_memory",
]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
