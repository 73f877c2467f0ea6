"""paddle.fluid.evaluator: metrics that a program gathers while it runs."""

from refluid.metrics.detection import DetectionMAP as DetectionMAP
from refluid.metrics.evaluator import (
    ChunkEvaluator as ChunkEvaluator,
    EditDistance as EditDistance,
    Evaluator as Evaluator,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
