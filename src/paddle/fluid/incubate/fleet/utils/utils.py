"""paddle.fluid.incubate.fleet.utils.utils: programs in files, and checks of exported models."""

from refluid.distributed.fleet.model_checks import (
    all_vars_out_fn as all_vars_out_fn,
    check_not_expected_ops as check_not_expected_ops,
    check_pruned_program_vars as check_pruned_program_vars,
    check_saved_vars_try_dump as check_saved_vars_try_dump,
    feed_fetch_type_list as feed_fetch_type_list,
    feed_gen as feed_gen,
    graphviz as graphviz,
    logger as logger,
    not_expected_op_types as not_expected_op_types,
    ops_out_fn as ops_out_fn,
    parse_program as parse_program,
    persistable_vars_out_fn as persistable_vars_out_fn,
    reader as reader,
    try_load_model_vars as try_load_model_vars,
)
from refluid.distributed.fleet.program_files import (
    load_program as load_program,
    load_program_binary as load_program_binary,
    load_program_text as load_program_text,
    program_type_trans as program_type_trans,
    save_program as save_program,
)
from refluid.distributed.fleet.variable_files import (
    append_load_op as append_load_op,
    append_save_op as append_save_op,
    load_var as load_var,
    save_var as save_var,
)

__all__ = [
    "check_pruned_program_vars", "check_saved_vars_try_dump", "graphviz", "load_program", "parse_program",
    "program_type_trans", "save_program",
]  # fmt: skip

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
