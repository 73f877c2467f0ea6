"""paddle.fluid.evaluator: metrics that a program gathers while it runs."""

from refluid.metrics.detection import DetectionMAP as DetectionMAP
from refluid.metrics.evaluator import (
    ChunkEvaluator as ChunkEvaluator,
    EditDistance as EditDistance,
    Evaluator as Evaluator,
)
