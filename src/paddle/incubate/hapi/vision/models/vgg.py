"""paddle.incubate.hapi.vision.models.vgg: VGG of all depths."""

from refluid.hapi.vision.models.vgg import (
    VGG as VGG,
    make_layers as make_layers,
    vgg11 as vgg11,
    vgg13 as vgg13,
    vgg16 as vgg16,
    vgg19 as vgg19,
)

__all__ = ["VGG", "vgg11", "vgg13", "vgg16", "vgg19"]
