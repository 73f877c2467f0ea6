"""paddle.fluid.transpiler.details.vars_distributed: pieces of variables on servers."""

from refluid.distributed.transpile.placement import (
    VarDistributed as VarDistributed,
    VarsDistributed as VarsDistributed,
    VarStruct as VarStruct,
)
