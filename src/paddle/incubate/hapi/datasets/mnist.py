"""paddle.incubate.hapi.datasets.mnist: handwritten digits."""

from refluid.hapi.datasets.mnist import (
    MNIST as MNIST,
)

__all__ = ["MNIST"]
