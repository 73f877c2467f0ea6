"""paddle.fluid.dygraph: the imperative mode."""

from paddle.fluid.dygraph import (
    base as base,
    container as container,
    layers as layers,
    learning_rate_scheduler as learning_rate_scheduler,
    nn as nn,
)
from refluid.eager.base import (
    disable_dygraph as disable_dygraph,
    enable_dygraph as enable_dygraph,
    enabled as enabled,
    guard as guard,
    no_grad as no_grad,
    to_variable as to_variable,
)
from refluid.nn.container import LayerList as LayerList, ParameterList as ParameterList, Sequential as Sequential
from refluid.nn.conv import Conv2D as Conv2D
from refluid.nn.dropout import Dropout as Dropout
from refluid.nn.embedding import Embedding as Embedding
from refluid.nn.layer import Layer as Layer
from refluid.nn.linear import FC as FC, Linear as Linear
from refluid.nn.norm import BatchNorm as BatchNorm, LayerNorm as LayerNorm
from refluid.nn.pool import Pool2D as Pool2D
from refluid.optim.decay import (
    CosineDecay as CosineDecay,
    ExponentialDecay as ExponentialDecay,
    InverseTimeDecay as InverseTimeDecay,
    LinearLrWarmup as LinearLrWarmup,
    NaturalExpDecay as NaturalExpDecay,
    NoamDecay as NoamDecay,
    PiecewiseDecay as PiecewiseDecay,
    PolynomialDecay as PolynomialDecay,
)
from refluid.optim.epoch_decay import (
    LambdaDecay as LambdaDecay,
    MultiStepDecay as MultiStepDecay,
    ReduceLROnPlateau as ReduceLROnPlateau,
    StepDecay as StepDecay,
)
from refluid.saving.variables import load_persistables as load_persistables, save_persistables as save_persistables
