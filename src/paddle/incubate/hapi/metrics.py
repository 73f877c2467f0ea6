"""paddle.incubate.hapi.metrics: metrics of a model."""

from refluid.hapi.metrics import Accuracy as Accuracy, Metric as Metric

__all__ = ["Metric", "Accuracy"]
