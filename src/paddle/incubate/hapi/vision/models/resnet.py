"""paddle.incubate.hapi.vision.models.resnet: ResNet of all depths."""

from refluid.hapi.vision.models.resnet import (
    BasicBlock as BasicBlock,
    BottleneckBlock as BottleneckBlock,
    ResNet as ResNet,
    resnet18 as resnet18,
    resnet34 as resnet34,
    resnet50 as resnet50,
    resnet101 as resnet101,
    resnet152 as resnet152,
)

__all__ = ["ResNet", "resnet101", "resnet152", "resnet18", "resnet34", "resnet50"]
