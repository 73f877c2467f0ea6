"""paddle.fluid.contrib.mixed_precision.decorator: optimizers of mixed precision."""

from refluid.contrib.mixed_precision.optimizer import (
    OptimizerWithMixedPrecision as OptimizerWithMixedPrecision,
    decorate as decorate,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
