"""Darknet, of Redmon and Farhadi, 2018: what YOLOv3 sees with."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.hapi.model import Model
from refluid.hapi.vision.models.common import ConvNorm, refuse_pretrained
from refluid.layers.activation import leaky_relu
from refluid.layers.elementwise import elementwise_add
from refluid.layers.shape import flatten
from refluid.nn.container import Sequential
from refluid.nn.layer import Layer
from refluid.nn.linear import Linear
from refluid.nn.pool import Pool2D

# How many blocks each of the five stages has.
_STAGES = {53: (1, 2, 8, 8, 4)}


class ConvLeaky(ConvNorm):
    """A convolution, batch normalisation and a leaky ReLU."""

    def forward(self, x: Any) -> Any:
        return leaky_relu(super().forward(x), 0.1)


class Block(Layer):
    """Narrows to half the channels and widens again; what comes out is added to what went in."""

    def __init__(self, channels: int):
        super().__init__()
        self.conv1 = ConvLeaky(channels, channels // 2, 1)
        self.conv2 = ConvLeaky(channels // 2, channels, 3)

    def forward(self, x: Any) -> Any:
        return elementwise_add(x, self.conv2(self.conv1(x)))


class DarkNet(Model):
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
        super().__init__()
        if num_layers not in _STAGES:
            raise ArgumentError(f"DarkNet: num_layers must be one of {list(_STAGES)}, got {num_layers!r}")
        self.num_classes, self.with_pool = num_classes, with_pool
        channels = 32
        layers: list[Layer] = [ConvLeaky(3, channels, 3)]
        for count in _STAGES[num_layers]:
            layers.append(ConvLeaky(channels, 2 * channels, 3, stride=2))
            channels *= 2
            layers += [Block(channels) for _ in range(count)]
        self.features = Sequential(*layers)
        if with_pool:
            self.pool = Pool2D(pool_type="avg", global_pooling=True)
        if num_classes > 0:
            self.fc = Linear(channels, num_classes, act=classifier_activation)

    def forward(self, inputs: Any) -> Any:
        x = self.features(inputs)
        if self.with_pool:
            x = self.pool(x)
        return self.fc(flatten(x, 1)) if self.num_classes > 0 else x


def darknet53(pretrained: bool = False, **kwargs: Any) -> DarkNet:
    """DarkNet of 53 layers; see DarkNet for what else it takes."""
    refuse_pretrained("darknet53", pretrained)
    return DarkNet(53, **kwargs)
