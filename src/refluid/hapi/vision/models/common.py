"""What the networks share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.core.errors import ArgumentError
from refluid.hapi.model import Model
from refluid.layers.shape import flatten
from refluid.nn.container import Sequential
from refluid.nn.conv import Conv2D
from refluid.nn.layer import Layer
from refluid.nn.linear import Linear
from refluid.nn.norm import BatchNorm
from refluid.nn.pool import Pool2D

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


class ConvNorm(Layer):
    """A convolution without bias that keeps the size (but for its stride), and batch normalisation."""

    def __init__(
        self, channels: int, filters: int, size: int, stride: int = 1, groups: int = 1, act: str | None = None
    ):
        super().__init__()
        self.conv = Conv2D(channels, filters, size, stride, (size - 1) // 2, groups=groups, bias_attr=False)
        self.norm = BatchNorm(filters, act=act)

    def forward(self, x: BaseVariable) -> BaseVariable:
        return self.norm(self.conv(x))


class Classifier(Model):
    """Layers that end with `channels`, the average of each if `with_pool`, and a linear layer if there are classes."""

    def __init__(
        self, layers: list[Layer], channels: int, num_classes: int, with_pool: bool, classifier_activation: str | None
    ):
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self.features = Sequential(*layers)
        if with_pool:
            self.pool = Pool2D(pool_type="avg", global_pooling=True)
        if num_classes > 0:
            self.fc = Linear(channels, num_classes, act=classifier_activation)

    def forward(self, inputs: BaseVariable) -> BaseVariable:
        x = self.features(inputs)
        if self.with_pool:
            x = self.pool(x)
        return self.fc(flatten(x, 1)) if self.num_classes > 0 else x


def refuse_pretrained(name: str, pretrained: bool) -> None:
    """Refuse pretrained=True: there are no pretrained weights for these networks."""
    if pretrained:
        raise ArgumentError(
            f"{name}: there are no pretrained weights; make the network and load(path) weights of yours"
        )
