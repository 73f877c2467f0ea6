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
from refluid.distributed.transpile.roles import (
    CLIP_OP_NAME_SCOPE as CLIP_OP_NAME_SCOPE,
    DIST_OP_ROLE_ATTR_VALUE as DIST_OP_ROLE_ATTR_VALUE,
    LOOKUP_TABLE_GRAD_TYPE as LOOKUP_TABLE_GRAD_TYPE,
    LOOKUP_TABLE_TYPE as LOOKUP_TABLE_TYPE,
    LR_SCHED_OP_ROLE_ATTR_VALUE as LR_SCHED_OP_ROLE_ATTR_VALUE,
    OPT_OP_ROLE_ATTR_VALUE as OPT_OP_ROLE_ATTR_VALUE,
    OP_NAME_SCOPE as OP_NAME_SCOPE,
    OP_ROLE_VAR_ATTR_NAME as OP_ROLE_VAR_ATTR_NAME,
    RPC_OP_ROLE_ATTR_NAME as RPC_OP_ROLE_ATTR_NAME,
    RPC_OP_ROLE_ATTR_VALUE as RPC_OP_ROLE_ATTR_VALUE,
    op_role_attr_name as op_role_attr_name,
)
from refluid.distributed.transpile.transpiler import DistributeTranspiler as DistributeTranspiler

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
