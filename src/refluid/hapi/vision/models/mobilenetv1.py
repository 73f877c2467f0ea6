"""MobileNet, of Howard and others, 2017: depthwise convolutions, each followed by a pointwise one."""

from __future__ import annotations

from typing import Any

from refluid.hapi.vision.models.common import Classifier, ConvNorm, refuse_pretrained
from refluid.nn.layer import Layer

# (filters, stride) of each pair of convolutions.
_PAIRS = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]


class MobileNetV1(Classifier):
    """For images [N, 3, height, width].

    Args:
        scale: multiplies the number of channels everywhere.
        num_classes: the size of the output; none or negative leaves the linear layer out.
        with_pool: average over height and width at the end.
        classifier_activation: of the output.
    """

    def __init__(
        self,
        scale: float = 1.0,
        num_classes: int = 1000,
        with_pool: bool = True,
        classifier_activation: str | None = "softmax",
    ):
        channels = int(32 * scale)
        layers: list[Layer] = [ConvNorm(3, channels, 3, 2, act="relu")]
        for filters, stride in _PAIRS:
            wide = int(filters * scale)
            layers.append(ConvNorm(channels, channels, 3, stride, groups=channels, act="relu"))
            layers.append(ConvNorm(channels, wide, 1, act="relu"))
            channels = wide
        super().__init__(layers, channels, num_classes, with_pool, classifier_activation)
        self.scale = scale


def mobilenet_v1(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV1:
    """MobileNetV1 of this scale; see there for what else it takes."""
    refuse_pretrained("mobilenet_v1", pretrained)
    return MobileNetV1(scale=scale, **kwargs)
