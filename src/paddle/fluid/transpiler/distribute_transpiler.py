"""paddle.fluid.transpiler.distribute_transpiler: programs for several machines."""

from refluid.distributed.transpile.config import (
    DistributedMode as DistributedMode,
    DistributeTranspilerConfig as DistributeTranspilerConfig,
    ServerRuntimeConfig as ServerRuntimeConfig,
)
from refluid.distributed.transpile.dispatch import (
    HashName as HashName,
    PSDispatcher as PSDispatcher,
    RoundRobin as RoundRobin,
)
from refluid.distributed.transpile.pieces import (
    VarBlock as VarBlock,
    same_or_split_var as same_or_split_var,
    slice_variable as slice_variable,
)
from refluid.distributed.transpile.transpiler import DistributeTranspiler as DistributeTranspiler

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
