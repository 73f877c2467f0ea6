"""paddle.fluid.contrib.slim.distillation.distillation_strategy: epochs with a teacher."""

from refluid.contrib.slim.distillation.strategy import DistillationStrategy as DistillationStrategy
