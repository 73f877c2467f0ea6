"""paddle.fluid.metrics: numbers gathered over many batches."""

from refluid.metrics.base import CompositeMetric as CompositeMetric, MetricBase as MetricBase
from refluid.metrics.classification import (
    Accuracy as Accuracy,
    Auc as Auc,
    Precision as Precision,
    Recall as Recall,
)
from refluid.metrics.detection import DetectionMAP as DetectionMAP
from refluid.metrics.sequences import ChunkEvaluator as ChunkEvaluator, EditDistance as EditDistance

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
