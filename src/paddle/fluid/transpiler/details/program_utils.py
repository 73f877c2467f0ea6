"""paddle.fluid.transpiler.details.program_utils: programs searched and printed."""

from refluid.distributed.transpile.details import (
    block_to_code as block_to_code,
    delete_ops as delete_ops,
    find_op_by_input_arg as find_op_by_input_arg,
    find_op_by_output_arg as find_op_by_output_arg,
    op_to_code as op_to_code,
    program_to_code as program_to_code,
    variable_to_code as variable_to_code,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
