"""paddle.fluid.transpiler.details: tools of transpilers."""

from paddle.fluid.transpiler.details import (
    checkport as checkport,
    program_utils as program_utils,
    ufind as ufind,
    vars_distributed as vars_distributed,
)
from refluid.distributed.transpile.details import (
    UnionFind as UnionFind,
    block_to_code as block_to_code,
    delete_ops as delete_ops,
    find_op_by_input_arg as find_op_by_input_arg,
    find_op_by_output_arg as find_op_by_output_arg,
    op_to_code as op_to_code,
    program_to_code as program_to_code,
    variable_to_code as variable_to_code,
    wait_server_ready as wait_server_ready,
)
from refluid.distributed.transpile.placement import (
    VarDistributed as VarDistributed,
    VarsDistributed as VarsDistributed,
    VarStruct as VarStruct,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
