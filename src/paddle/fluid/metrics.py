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
