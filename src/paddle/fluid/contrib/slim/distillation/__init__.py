"""paddle.fluid.contrib.slim.distillation: networks that learn from others."""

from paddle.fluid.contrib.slim.distillation import (
    distillation_strategy as distillation_strategy,
    distiller as distiller,
)
from refluid.contrib.slim.distillation.distillers import (
    FSPDistiller as FSPDistiller,
    L2Distiller as L2Distiller,
    SoftLabelDistiller as SoftLabelDistiller,
)
from refluid.contrib.slim.distillation.strategy import DistillationStrategy as DistillationStrategy
