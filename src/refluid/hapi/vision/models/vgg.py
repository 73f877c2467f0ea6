"""VGG, of Simonyan and Zisserman, 2014: stages of 3 x 3 convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from refluid.hapi.model import Model
from refluid.hapi.vision.models.common import ConvNorm, refuse_pretrained
from refluid.layers.shape import flatten
from refluid.nn.container import Sequential
from refluid.nn.conv import Conv2D
from refluid.nn.dropout import Dropout
from refluid.nn.layer import Layer
from refluid.nn.linear import Linear
from refluid.nn.pool import Pool2D

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable

# How many convolutions each of the five stages has.
_STAGES = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


class VGG(Model):
    """For images [N, 3, 224, 224].

    Args:
        features: the layer before the classifier, as `make_layers` makes it.
        num_classes: the size of the output; none or negative leaves the classifier out.
        classifier_activation: of the output.
    """

    def __init__(self, features: Layer, num_classes: int = 1000, classifier_activation: str | None = "softmax"):
        super().__init__()
        self.features, self.num_classes = features, num_classes
        if num_classes > 0:
            self.classifier = Sequential(
                Linear(512 * 7 * 7, 4096, act="relu"),
                Dropout(0.5),
                Linear(4096, 4096, act="relu"),
                Dropout(0.5),
                Linear(4096, num_classes, act=classifier_activation),
            )

    def forward(self, inputs: BaseVariable) -> BaseVariable:
        x = self.features(inputs)
        return self.classifier(flatten(x, 1)) if self.num_classes > 0 else x


def make_layers(cfg: Sequence[int | str], batch_norm: bool = False) -> Sequential:
    """Convolutions of 3 x 3 with so many filters each, with batch normalisation or without; "M" is a pooling."""
    channels = 3
    layers: list[Layer] = []
    for filters in cfg:
        if isinstance(filters, str):
            layers.append(Pool2D(2, "max", 2))
            continue
        layers.append(
            ConvNorm(channels, filters, 3, act="relu")
            if batch_norm
            else Conv2D(channels, filters, 3, padding=1, act="relu")
        )
        channels = filters
    return Sequential(*layers)


def _stages(depth: int) -> list[int | str]:
    """What `make_layers` takes for a VGG of this depth."""
    found: list[int | str] = []
    for count, filters in zip(_STAGES[depth], (64, 128, 256, 512, 512), strict=True):
        found += [*[filters] * count, "M"]
    return found


def _vgg(depth: int, pretrained: bool, batch_norm: bool, **kwargs: Any) -> VGG:
    refuse_pretrained(f"vgg{depth}", pretrained)
    return VGG(make_layers(_stages(depth), batch_norm), **kwargs)


def vgg11(pretrained: bool = False, batch_norm: bool = False, **kwargs: object) -> VGG:
    """VGG of 11 layers; see VGG for what else it takes."""
    return _vgg(11, pretrained, batch_norm, **kwargs)


def vgg13(pretrained: bool = False, batch_norm: bool = False, **kwargs: object) -> VGG:
    """VGG of 13 layers; see VGG for what else it takes."""
    return _vgg(13, pretrained, batch_norm, **kwargs)


def vgg16(pretrained: bool = False, batch_norm: bool = False, **kwargs: object) -> VGG:
    """VGG of 16 layers; see VGG for what else it takes."""
    return _vgg(16, pretrained, batch_norm, **kwargs)


def vgg19(pretrained: bool = False, batch_norm: bool = False, **kwargs: object) -> VGG:
    """VGG of 19 layers; see VGG for what else it takes."""
    return _vgg(19, pretrained, batch_norm, **kwargs)
