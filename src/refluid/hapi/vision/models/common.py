"""What the networks share."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.nn.conv import Conv2D
from refluid.nn.layer import Layer
from refluid.nn.norm import BatchNorm


class ConvNorm(Layer):
    """A convolution without bias that keeps the size (but for its stride), and batch normalisation."""

    def __init__(
        self, channels: int, filters: int, size: int, stride: int = 1, groups: int = 1, act: str | None = None
    ):
        super().__init__()
        self.conv = Conv2D(channels, filters, size, stride, (size - 1) // 2, groups=groups, bias_attr=False)
        self.norm = BatchNorm(filters, act=act)

    def forward(self, x: Any) -> Any:
        return self.norm(self.conv(x))


def refuse_pretrained(name: str, pretrained: bool) -> None:
    """Weights of others are nowhere to be had for these networks, and untrained ones must not pass for them."""
    if pretrained:
        raise ArgumentError(
            f"{name}: there are no pretrained weights; make the network and load(path) weights of yours"
        )
