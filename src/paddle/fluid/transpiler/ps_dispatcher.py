"""paddle.fluid.transpiler.ps_dispatcher: which server holds which variable."""

from refluid.distributed.transpile.dispatch import (
    HashName as HashName,
    PSDispatcher as PSDispatcher,
    RoundRobin as RoundRobin,
)
