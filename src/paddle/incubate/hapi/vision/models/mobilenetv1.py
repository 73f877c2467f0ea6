"""paddle.incubate.hapi.vision.models.mobilenetv1: MobileNetV1."""

from refluid.hapi.vision.models.mobilenetv1 import (
    MobileNetV1 as MobileNetV1,
    mobilenet_v1 as mobilenet_v1,
)

__all__ = ["MobileNetV1", "mobilenet_v1"]
