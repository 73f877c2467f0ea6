"""paddle.incubate.hapi.vision.transforms.functional: flipping and resizing."""

from refluid.hapi.vision.transforms.functional import (
    flip as flip,
    resize as resize,
)

__all__ = ["flip", "resize"]
