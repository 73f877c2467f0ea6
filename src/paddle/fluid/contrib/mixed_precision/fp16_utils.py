"""paddle.fluid.contrib.mixed_precision.fp16_utils: programs rewritten for float16, and the factor of the loss."""

from refluid.contrib.mixed_precision.casts import rewrite_program as rewrite_program
from refluid.contrib.mixed_precision.neighbours import (
    find_op_index as find_op_index,
    find_true_post_op as find_true_post_op,
    find_true_prev_op as find_true_prev_op,
    update_role_var_grad as update_role_var_grad,
)
from refluid.contrib.mixed_precision.scaling import update_loss_scaling as update_loss_scaling

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
