"""paddle.fluid.average: the mean of numbers with weights."""

from refluid.metrics.average import WeightedAverage as WeightedAverage

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
