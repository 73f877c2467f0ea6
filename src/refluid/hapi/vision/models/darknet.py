"""Darknet, of Redmon and Farhadi, 2018: the backbone of YOLOv3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError
from refluid.hapi.vision.models.common import Classifier, ConvNorm, refuse_pretrained
from refluid.layers.activation import leaky_relu
from refluid.layers.elementwise import elementwise_add
from refluid.nn.layer import Layer

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable

# How many blocks each of the five stages has.
_STAGES = {53: (1, 2, 8, 8, 4)}


class ConvLeaky(ConvNorm):
    """A convolution, batch normalisation and a leaky ReLU."""

    def forward(self, x: BaseVariable) -> BaseVariable:
        return leaky_relu(super().forward(x), 0.1)


class Block(Layer):
    """A residual block: 1 x 1 to half the channels, then 3 x 3 back to all of them."""

    def __init__(self, channels: int):
        super().__init__()
        self.conv1 = ConvLeaky(channels, channels // 2, 1)
        self.conv2 = ConvLeaky(channels // 2, channels, 3)

    def forward(self, x: BaseVariable) -> BaseVariable:
        return elementwise_add(x, self.conv2(self.conv1(x)))


class DarkNet(Classifier):
    """For images [N, 3, height, width].

    Args:
        num_layers: 53.
        num_classes: the size of the output; none or negative leaves the linear layer out.
        with_pool: average over height and width at the end.
        classifier_activation: of the output.
    """

    def __init__(
        self,
        num_layers: int = 53,
        num_classes: int = 1000,
        with_pool: bool = True,
        classifier_activation: str | None = "softmax",
    ):
        if num_layers not in _STAGES:
            raise ArgumentError(f"DarkNet: num_layers must be one of {list(_STAGES)}, got {num_layers!r}")
        channels = 32
        layers: list[Layer] = [ConvLeaky(3, channels, 3)]
        for count in _STAGES[num_layers]:
            layers.append(ConvLeaky(channels, 2 * channels, 3, stride=2))
            channels *= 2
            layers += [Block(channels) for _ in range(count)]
        super().__init__(layers, channels, num_classes, with_pool, classifier_activation)


def darknet53(pretrained: bool = False, **kwargs: Any) -> DarkNet:
    """DarkNet of 53 layers; see DarkNet for what else it takes."""
    refuse_pretrained("darknet53", pretrained)
    return DarkNet(53, **kwargs)
