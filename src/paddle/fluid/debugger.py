"""paddle.fluid.debugger: programs as text and drawings."""

from refluid.export.debugger import (
    draw_block_graphviz as draw_block_graphviz,
    op_repr_handlers as op_repr_handlers,
    pprint_block_codes as pprint_block_codes,
    pprint_program_codes as pprint_program_codes,
    prepare_fast_nan_inf_debug as prepare_fast_nan_inf_debug,
    repr_attr as repr_attr,
    repr_data_type as repr_data_type,
    repr_lodtensor as repr_lodtensor,
    repr_op as repr_op,
    repr_selected_rows as repr_selected_rows,
    repr_tensor as repr_tensor,
    repr_tensor_array as repr_tensor_array,
    repr_var as repr_var,
    reprtpl as reprtpl,
    run_fast_nan_inf_debug as run_fast_nan_inf_debug,
    type_handlers as type_handlers,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
