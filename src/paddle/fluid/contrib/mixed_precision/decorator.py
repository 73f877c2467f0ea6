"""paddle.fluid.contrib.mixed_precision.decorator: optimizers of mixed precision."""

from refluid.contrib.mixed_precision.optimizer import (
    OptimizerWithMixedPrecision as OptimizerWithMixedPrecision,
    decorate as decorate,
)
