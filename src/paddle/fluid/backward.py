"""paddle.fluid.backward: gradients of programs."""

from refluid.autodiff.backward import (
    append_backward as append_backward,
    calc_gradient as calc_gradient,
    gradients as gradients,
)
from refluid.autodiff.names import (
    _all_in_set_ as _all_in_set_,
    _append_grad_suffix_ as _append_grad_suffix_,
    _find_loss_op_ as _find_loss_op_,
    _find_op_path_ as _find_op_path_,
    _get_no_grad_set_name as _get_no_grad_set_name,
    _infer_var_data_type_shape_ as _infer_var_data_type_shape_,
    _is_grad_op_ as _is_grad_op_,
    _is_grad_var_ as _is_grad_var_,
    _rename_arg_ as _rename_arg_,
    _some_in_set_ as _some_in_set_,
    _strip_grad_suffix_ as _strip_grad_suffix_,
)
from refluid.autodiff.stats import ProgramStats as ProgramStats
from refluid.saving.op_protos import serialize_op_decs as serialize_op_decs

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
