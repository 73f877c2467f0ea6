"""ResNet, of He and others, 2015: residual blocks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError
from refluid.hapi.model import Model
from refluid.hapi.vision.models.common import ConvNorm, refuse_pretrained
from refluid.layers.elementwise import elementwise_add
from refluid.layers.shape import flatten
from refluid.nn.container import Sequential
from refluid.nn.layer import Layer
from refluid.nn.linear import Linear
from refluid.nn.pool import Pool2D
from refluid.params.attr import ParamAttr
from refluid.params.initializer import Uniform

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


class BasicBlock(Layer):
    """Two convolutions of 3 x 3."""

    expansion = 1

    def __init__(self, num_channels: int, num_filters: int, stride: int, shortcut: bool = True):
        super().__init__()
        self.conv0 = ConvNorm(num_channels, num_filters, 3, stride, act="relu")
        self.conv1 = ConvNorm(num_filters, num_filters, 3)
        if not shortcut:
            self.short = ConvNorm(num_channels, num_filters, 1, stride)
        self.shortcut = shortcut

    def forward(self, inputs: BaseVariable) -> BaseVariable:
        short = inputs if self.shortcut else self.short(inputs)
        return elementwise_add(short, self.conv1(self.conv0(inputs)), act="relu")


class BottleneckBlock(Layer):
    """A convolution of 3 x 3 between two of 1 x 1, on a quarter of the channels."""

    expansion = 4

    def __init__(self, num_channels: int, num_filters: int, stride: int, shortcut: bool = True):
        super().__init__()
        self.conv0 = ConvNorm(num_channels, num_filters, 1, act="relu")
        self.conv1 = ConvNorm(num_filters, num_filters, 3, stride, act="relu")
        self.conv2 = ConvNorm(num_filters, num_filters * 4, 1)
        if not shortcut:
            self.short = ConvNorm(num_channels, num_filters * 4, 1, stride)
        self.shortcut = shortcut

    def forward(self, inputs: BaseVariable) -> BaseVariable:
        short = inputs if self.shortcut else self.short(inputs)
        return elementwise_add(short, self.conv2(self.conv1(self.conv0(inputs))), act="relu")


_STAGES = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
}


class ResNet(Model):
    """For images [N, 3, height, width].

    Args:
        Block: BasicBlock or BottleneckBlock.
        depth: 18, 34, 50, 101 or 152.
        num_classes: the size of the output; none or negative leaves the linear layer out.
        with_pool: average over height and width at the end.
        classifier_activation: of the output.
    """

    def __init__(
        self,
        Block: type[BasicBlock] | type[BottleneckBlock],
        depth: int = 50,
        num_classes: int = 1000,
        with_pool: bool = True,
        classifier_activation: str | None = "softmax",
    ):
        super().__init__()
        if depth not in _STAGES:
            raise ArgumentError(f"ResNet: depth must be one of {list(_STAGES)}, got {depth!r}")
        self.num_classes, self.with_pool = num_classes, with_pool
        self.conv = ConvNorm(3, 64, 7, 2, act="relu")
        self.pool = Pool2D(3, "max", 2, 1)
        channels, stages = 64, []
        for stage, (count, filters) in enumerate(zip(_STAGES[depth], (64, 128, 256, 512), strict=True)):
            blocks = []
            for i in range(count):
                stride = 2 if i == 0 and stage > 0 else 1
                same = stride == 1 and channels == filters * Block.expansion
                blocks.append(Block(channels, filters, stride, shortcut=same))
                channels = filters * Block.expansion
            stages.append(Sequential(*blocks))
        self.stages = Sequential(*stages)
        if with_pool:
            self.global_pool = Pool2D(pool_type="avg", global_pooling=True)
        if num_classes > 0:
            bound = 1.0 / math.sqrt(channels)
            self.fc = Linear(
                channels,
                num_classes,
                act=classifier_activation,
                param_attr=ParamAttr(initializer=Uniform(-bound, bound)),
            )

    def forward(self, inputs: BaseVariable) -> BaseVariable:
        x = self.stages(self.pool(self.conv(inputs)))
        if self.with_pool:
            x = self.global_pool(x)
        return self.fc(flatten(x, 1)) if self.num_classes > 0 else x


def resnet18(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 18 layers; see ResNet for what else it takes."""
    refuse_pretrained("resnet18", pretrained)
    return ResNet(BasicBlock, 18, **kwargs)


def resnet34(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 34 layers; see ResNet for what else it takes."""
    refuse_pretrained("resnet34", pretrained)
    return ResNet(BasicBlock, 34, **kwargs)


def resnet50(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 50 layers; see ResNet for what else it takes."""
    refuse_pretrained("resnet50", pretrained)
    return ResNet(BottleneckBlock, 50, **kwargs)


def resnet101(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 101 layers; see ResNet for what else it takes."""
    refuse_pretrained("resnet101", pretrained)
    return ResNet(BottleneckBlock, 101, **kwargs)


def resnet152(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 152 layers; see ResNet for what else it takes."""
    refuse_pretrained("resnet152", pretrained)
    return ResNet(BottleneckBlock, 152, **kwargs)
