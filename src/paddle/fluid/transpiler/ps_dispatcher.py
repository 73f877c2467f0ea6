"""paddle.fluid.transpiler.ps_dispatcher: which server holds which variable."""

from refluid.distributed.transpile.dispatch import (
    HashName as HashName,
    PSDispatcher as PSDispatcher,
    RoundRobin as RoundRobin,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
