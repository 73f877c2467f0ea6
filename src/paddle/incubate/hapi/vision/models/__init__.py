"""paddle.incubate.hapi.vision.models: well-known networks for images."""

from paddle.incubate.hapi.vision.models import (
    darknet as darknet,
    lenet as lenet,
    mobilenetv1 as mobilenetv1,
    mobilenetv2 as mobilenetv2,
    resnet as resnet,
    vgg as vgg,
)
from refluid.hapi.vision.models.darknet import DarkNet as DarkNet, darknet53 as darknet53
from refluid.hapi.vision.models.lenet import LeNet as LeNet
from refluid.hapi.vision.models.mobilenetv1 import MobileNetV1 as MobileNetV1, mobilenet_v1 as mobilenet_v1
from refluid.hapi.vision.models.mobilenetv2 import MobileNetV2 as MobileNetV2, mobilenet_v2 as mobilenet_v2
from refluid.hapi.vision.models.resnet import (
    ResNet as ResNet,
    resnet18 as resnet18,
    resnet34 as resnet34,
    resnet50 as resnet50,
    resnet101 as resnet101,
    resnet152 as resnet152,
)
from refluid.hapi.vision.models.vgg import (
    VGG as VGG,
    vgg11 as vgg11,
    vgg13 as vgg13,
    vgg16 as vgg16,
    vgg19 as vgg19,
)

__all__ = [
    "DarkNet", "LeNet", "MobileNetV1", "MobileNetV2", "ResNet", "VGG", "darknet53", "mobilenet_v1", "mobilenet_v2",
    "resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "vgg11", "vgg13", "vgg16", "vgg19",
]  # fmt: skip
