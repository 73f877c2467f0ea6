"""paddle.incubate.hapi.vision.models.mobilenetv2: MobileNetV2."""

from refluid.hapi.vision.models.mobilenetv2 import (
    MobileNetV2 as MobileNetV2,
    mobilenet_v2 as mobilenet_v2,
)

__all__ = ["MobileNetV2", "mobilenet_v2"]
