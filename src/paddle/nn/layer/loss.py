"""paddle.nn.layer.loss: losses."""

from refluid.nn.loss import (
    BCELoss as BCELoss,
    CrossEntropyLoss as CrossEntropyLoss,
    L1Loss as L1Loss,
    MSELoss as MSELoss,
    NLLLoss as NLLLoss,
)
