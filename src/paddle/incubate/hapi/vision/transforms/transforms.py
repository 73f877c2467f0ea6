"""paddle.incubate.hapi.vision.transforms.transforms: what is done to images, as objects."""

from refluid.hapi.vision.transforms.colour import (
    BrightnessTransform as BrightnessTransform,
    ColorJitter as ColorJitter,
    ContrastTransform as ContrastTransform,
    GaussianNoise as GaussianNoise,
    Grayscale as Grayscale,
    HueTransform as HueTransform,
    Normalize as Normalize,
    SaturationTransform as SaturationTransform,
)
from refluid.hapi.vision.transforms.compose import (
    BatchCompose as BatchCompose,
    Compose as Compose,
)
from refluid.hapi.vision.transforms.geometry import (
    CenterCrop as CenterCrop,
    CenterCropResize as CenterCropResize,
    Permute as Permute,
    RandomCrop as RandomCrop,
    RandomHorizontalFlip as RandomHorizontalFlip,
    RandomResizedCrop as RandomResizedCrop,
    RandomVerticalFlip as RandomVerticalFlip,
    Resize as Resize,
)

__all__ = [
    "BatchCompose",
    "BrightnessTransform",
    "CenterCrop",
    "CenterCropResize",
    "ColorJitter",
    "Compose",
    "ContrastTransform",
    "GaussianNoise",
    "Grayscale",
    "HueTransform",
    "Normalize",
    "Permute",
    "RandomCrop",
    "RandomHorizontalFlip",
    "RandomResizedCrop",
    "RandomVerticalFlip",
    "Resize",
    "SaturationTransform",
]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
