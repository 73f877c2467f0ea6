"""paddle.incubate.hapi.loss: losses of a model."""

from refluid.hapi.loss import (
    CrossEntropy as CrossEntropy,
    Loss as Loss,
    SoftmaxWithCrossEntropy as SoftmaxWithCrossEntropy,
)

__all__ = ["Loss", "CrossEntropy", "SoftmaxWithCrossEntropy"]
