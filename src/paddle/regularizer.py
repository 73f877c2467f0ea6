"""paddle.regularizer: penalties on parameters (1.8 has the module, and nothing in it yet)."""

from refluid.optim.regularizer import (
    L1Decay as L1Decay,
    L1Decay as L1DecayRegularizer,
    L2Decay as L2Decay,
    L2Decay as L2DecayRegularizer,
)
