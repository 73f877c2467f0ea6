"""MobileNetV2, of Sandler and others, 2018: inverted residual blocks with linear bottlenecks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.hapi.model import Model
from refluid.hapi.vision.models.common import ConvNorm, refuse_pretrained
from refluid.layers.elementwise import elementwise_add
from refluid.layers.shape import flatten
from refluid.nn.container import Sequential
from refluid.nn.dropout import Dropout
from refluid.nn.layer import Layer
from refluid.nn.linear import Linear
from refluid.nn.pool import Pool2D

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable

# (expansion, filters, blocks, stride of the first) of each stage.
_STAGES = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]


class InvertedResidual(Layer):
    """A pointwise expansion, a depthwise convolution, and a pointwise projection without an activation."""

    def __init__(self, channels: int, filters: int, stride: int, wider: int):
        super().__init__()
        inside = channels * wider
        layers = [] if wider == 1 else [ConvNorm(channels, inside, 1, act="relu6")]
        layers.append(ConvNorm(inside, inside, 3, stride, groups=inside, act="relu6"))
        layers.append(ConvNorm(inside, filters, 1))
        self.layers = Sequential(*layers)
        self.adds = stride == 1 and channels == filters

    def forward(self, inputs: BaseVariable) -> BaseVariable:
        out = self.layers(inputs)
        return elementwise_add(inputs, out) if self.adds else out


class MobileNetV2(Model):
    """For images [N, 3, height, width].

    Args:
        scale: multiplies the number of channels, rounded to multiples of 8.
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
        super().__init__()
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        channels = _rounded(32 * scale)
        layers: list[Layer] = [ConvNorm(3, channels, 3, 2, act="relu6")]
        for wider, filters, count, stride in _STAGES:
            for i in range(count):
                layers.append(InvertedResidual(channels, _rounded(filters * scale), stride if i == 0 else 1, wider))
                channels = _rounded(filters * scale)
        last = _rounded(1280 * max(1.0, scale))
        layers.append(ConvNorm(channels, last, 1, act="relu6"))
        self.features = Sequential(*layers)
        if with_pool:
            self.pool = Pool2D(pool_type="avg", global_pooling=True)
        if num_classes > 0:
            self.classifier = Sequential(Dropout(0.2), Linear(last, num_classes, act=classifier_activation))

    def forward(self, inputs: BaseVariable) -> BaseVariable:
        x = self.features(inputs)
        if self.with_pool:
            x = self.pool(x)
        return self.classifier(flatten(x, 1)) if self.num_classes > 0 else x


def _rounded(channels: float, step: int = 8) -> int:
    """The next multiple of 8, but not less than nine tenths of what was asked for."""
    near = max(step, int(channels + step / 2) // step * step)
    return near + step if near < 0.9 * channels else near


def mobilenet_v2(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV2:
    """MobileNetV2 of this scale; see there for what else it takes."""
    refuse_pretrained("mobilenet_v2", pretrained)
    return MobileNetV2(scale=scale, **kwargs)
