"""paddle.fluid.contrib.mixed_precision.fp16_utils: programs rewritten for float16, and the factor of the loss."""

from refluid.contrib.mixed_precision.casts import rewrite_program as rewrite_program
from refluid.contrib.mixed_precision.scaling import update_loss_scaling as update_loss_scaling

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
