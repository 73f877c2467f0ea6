"""paddle.fluid.op: operators run by hand on the variables of a scope."""

from refluid.executor.single import Operator as Operator, OperatorFactory as OperatorFactory
from refluid.saving.op_creation import (
    OpDescCreationMethod as OpDescCreationMethod,
    OpInfo as OpInfo,
    create_op_creation_method as create_op_creation_method,
    is_str as is_str,
)
from refluid.saving.op_protos import get_all_op_protos as get_all_op_protos

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
