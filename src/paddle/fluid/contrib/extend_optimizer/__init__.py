"""paddle.fluid.contrib.extend_optimizer: optimizers made of others."""

from paddle.fluid.contrib.extend_optimizer import (
    extend_optimizer_with_weight_decay as extend_optimizer_with_weight_decay,
)
from refluid.contrib.weight_decay import extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
