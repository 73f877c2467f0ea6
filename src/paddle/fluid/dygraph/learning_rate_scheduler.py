"""paddle.fluid.dygraph.learning_rate_scheduler: learning rates that fall."""

from refluid.optim.decay import (
    CosineDecay as CosineDecay,
    ExponentialDecay as ExponentialDecay,
    InverseTimeDecay as InverseTimeDecay,
    LearningRateDecay as LearningRateDecay,
    LinearLrWarmup as LinearLrWarmup,
    NaturalExpDecay as NaturalExpDecay,
    NoamDecay as NoamDecay,
    PiecewiseDecay as PiecewiseDecay,
    PolynomialDecay as PolynomialDecay,
)
from refluid.optim.epoch_decay import (
    EpochDecay as _LearningRateEpochDecay,
    LambdaDecay as LambdaDecay,
    MultiStepDecay as MultiStepDecay,
    ReduceLROnPlateau as ReduceLROnPlateau,
    StepDecay as StepDecay,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
