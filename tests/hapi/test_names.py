"""Names are where 2.0-alpha and 1.8.5 had them."""

from importlib import import_module

import pytest


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("", "callbacks datasets distributed download logger loss metrics model progressbar text vision"),
        (".model", "Model Input set_device"),
        (".callbacks", "Callback ProgBarLogger ModelCheckpoint config_callbacks"),
        (".loss", "Loss CrossEntropy SoftmaxWithCrossEntropy"),
        (".metrics", "Metric Accuracy"),
        (".distributed", "DistributedBatchSampler"),
        (".datasets.mnist", "MNIST"),
        (".datasets.folder", "DatasetFolder ImageFolder"),
        (".datasets.flowers", "Flowers"),
        (".vision", "ColorJitter LeNet resnet50 transforms models"),
        (".vision.models.resnet", "ResNet resnet50"),
        (".vision.models.mobilenetv1", "MobileNetV1 mobilenet_v1"),
        (".vision.transforms", "Compose Resize ColorJitter transforms functional"),
        (".vision.transforms.transforms", "BrightnessTransform SaturationTransform ContrastTransform HueTransform"),
        (".vision.transforms.functional", "flip resize"),
        (".text.text", "RNN BasicLSTMCell BidirectionalGRU TransformerEncoder LinearChainCRF"),
    ],
)
def test_names(module, names):
    found = import_module(f"paddle.incubate.hapi{module}")
    assert [name for name in names.split() if not hasattr(found, name)] == []
