"""paddle.fluid.contrib.slim.distillation.distillation_strategy: epochs with a teacher."""

from refluid.contrib.slim.distillation.strategy import DistillationStrategy as DistillationStrategy

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
