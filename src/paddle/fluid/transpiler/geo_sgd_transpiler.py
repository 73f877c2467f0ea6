"""paddle.fluid.transpiler.geo_sgd_transpiler: trainers that exchange now and then."""

from refluid.distributed.transpile.roles import (
    RPC_OP_ROLE_ATTR_NAME as RPC_OP_ROLE_ATTR_NAME,
    RPC_OP_ROLE_ATTR_VALUE as RPC_OP_ROLE_ATTR_VALUE,
    op_role_attr_name as op_role_attr_name,
)
from refluid.distributed.transpile.transpiler import GeoSgdTranspiler as GeoSgdTranspiler

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
