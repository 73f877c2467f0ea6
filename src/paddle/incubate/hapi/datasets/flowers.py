"""paddle.incubate.hapi.datasets.flowers: flowers of 102 kinds."""

from refluid.hapi.datasets.flowers import (
    Flowers as Flowers,
)

__all__ = ["Flowers"]
