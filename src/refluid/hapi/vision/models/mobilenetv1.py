"""MobileNet, of Howard and others, 2017: a convolution for each channel, then one of 1 x 1 across them."""

from __future__ import annotations

from typing import Any

from refluid.hapi.model import Model
from refluid.hapi.vision.models.common import ConvNorm, refuse_pretrained
from refluid.layers.shape import flatten
from refluid.nn.container import Sequential
from refluid.nn.linear import Linear
from refluid.nn.pool import Pool2D

# (filters, stride) of each pair of convolutions.
_PAIRS = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]


class MobileNetV1(Model):
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
        super().__init__()
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        channels = int(32 * scale)
        layers = [ConvNorm(3, channels, 3, 2, act="relu")]
        for filters, stride in _PAIRS:
            wide = int(filters * scale)
            layers.append(ConvNorm(channels, channels, 3, stride, groups=channels, act="relu"))
            layers.append(ConvNorm(channels, wide, 1, act="relu"))
            channels = wide
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


def mobilenet_v1(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV1:
    """MobileNetV1 of this scale; see there for what else it takes."""
    refuse_pretrained("mobilenet_v1", pretrained)
    return MobileNetV1(scale=scale, **kwargs)
