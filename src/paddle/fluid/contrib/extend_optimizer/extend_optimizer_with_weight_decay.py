"""paddle.fluid.contrib.extend_optimizer.extend_optimizer_with_weight_decay: decoupled weight decay."""

from refluid.contrib.weight_decay import (
    DecoupledWeightDecay as DecoupledWeightDecay,
    extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
