"""paddle.fluid.average: the mean of numbers with weights."""

from refluid.metrics.average import WeightedAverage as WeightedAverage
