"""paddle.fluid.dygraph: the imperative mode."""

from paddle.fluid.dygraph import (
    backward_strategy as backward_strategy,
    base as base,
    checkpoint as checkpoint,
    container as container,
    jit as jit,
    layers as layers,
    learning_rate_scheduler as learning_rate_scheduler,
    nn as nn,
    parallel as parallel,
    tracer as tracer,
)
from refluid.eager.base import (
    disable_dygraph as disable_dygraph,
    enable_dygraph as enable_dygraph,
    enabled as enabled,
    guard as guard,
    no_grad as no_grad,
    to_variable as to_variable,
)
from refluid.nn.conv import Conv2D as Conv2D
from refluid.nn.layer import Layer as Layer
from refluid.nn.linear import FC as FC, Linear as Linear
from refluid.nn.pool import Pool2D as Pool2D
