"""paddle.incubate.hapi.vision.models.lenet: LeNet."""

from refluid.hapi.vision.models.lenet import (
    LeNet as LeNet,
)

__all__ = ["LeNet"]
