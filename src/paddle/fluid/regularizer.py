"""paddle.fluid.regularizer: penalties on the size of parameters."""

from refluid.optim.regularizer import (
    L1Decay as L1Decay,
    L1DecayRegularizer as L1DecayRegularizer,
    L2Decay as L2Decay,
    L2DecayRegularizer as L2DecayRegularizer,
    WeightDecayRegularizer as WeightDecayRegularizer,
    regularize as append_regularization_ops,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
