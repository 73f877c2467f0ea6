"""paddle.fluid.transpiler.details.vars_distributed: pieces of variables on servers."""

from refluid.distributed.transpile.placement import (
    VarDistributed as VarDistributed,
    VarsDistributed as VarsDistributed,
    VarStruct as VarStruct,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
