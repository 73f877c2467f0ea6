"""paddle.metric: how good a model is, over a batch and over many."""

from refluid.alpha.metric import Accuracy as Accuracy
from refluid.layers.math import cos_sim as cos_sim
from refluid.layers.metric import accuracy as accuracy, auc as auc, chunk_eval as chunk_eval, mean_iou as mean_iou
from refluid.metrics.base import CompositeMetric as CompositeMetric
from refluid.metrics.classification import Auc as Auc, Precision as Precision, Recall as Recall
from refluid.metrics.detection import DetectionMAP as DetectionMAP
from refluid.metrics.sequences import ChunkEvaluator as ChunkEvaluator, EditDistance as EditDistance
