"""Transforms of colours. Random numbers come from numpy's random state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image

from refluid.core.errors import ArgumentError, ShapeError
from refluid.hapi.vision.transforms.functional import check_image

_GREY = np.array([0.114, 0.587, 0.299], np.float32)  # the luma weights of blue, green and red


class _RandomBlend:
    """alpha * image + (1 - alpha) * another, with alpha from 1 - value to 1 + value."""

    what = ""

    def __init__(self, value: float):
        if value < 0:
            raise ArgumentError(f"{type(self).__name__}: {self.what} must not be negative, got {value}")
        self.value = value

    def _other(self, img: np.ndarray) -> np.ndarray | float:
        raise NotImplementedError

    def __call__(self, img: np.ndarray) -> np.ndarray:
        check_image(type(self).__name__, img)
        if self.value == 0:
            return img
        alpha = np.random.uniform(max(0.0, 1 - self.value), 1 + self.value)
        pixels = img.astype(np.float32)
        return _as(img.dtype, pixels * alpha + self._other(pixels) * (1 - alpha))


class BrightnessTransform(_RandomBlend):
    """Darker or brighter by up to `value` of the image: a blend with black."""

    what = "brightness"

    def _other(self, img: np.ndarray) -> float:
        return 0.0


class ContrastTransform(_RandomBlend):
    """Less or more contrast by up to `value`: a blend with the mean of the image in grey."""

    what = "contrast"

    def _other(self, img: np.ndarray) -> np.ndarray | float:
        return (_coloured("ContrastTransform", img) @ _GREY).mean()


class SaturationTransform(_RandomBlend):
    """Paler or more colourful by up to `value`: a blend with the image in grey."""

    what = "saturation"

    def _other(self, img: np.ndarray) -> np.ndarray:
        return (_coloured("SaturationTransform", img) @ _GREY)[..., np.newaxis]


class HueTransform:
    """Shifts the hue by up to `value` of the colour circle."""

    def __init__(self, value: float):
        if not 0 <= value <= 0.5:
            raise ArgumentError(f"HueTransform: hue must lie in [0, 0.5], got {value}")
        self.value = value

    def __call__(self, img: np.ndarray) -> np.ndarray:
        _coloured("HueTransform", check_image("HueTransform", img))
        if self.value == 0:
            return img
        turn = int(np.random.uniform(-self.value, self.value) * 255)
        rgb = _as(np.dtype(np.uint8), img[:, :, ::-1].astype(np.float32))
        hue, saturation, brightness = Image.fromarray(np.ascontiguousarray(rgb)).convert("HSV").split()
        shifted = Image.fromarray(((np.array(hue).astype(np.int32) + turn) % 256).astype(np.uint8))
        back = np.array(Image.merge("HSV", (shifted, saturation, brightness)).convert("RGB"))
        return np.ascontiguousarray(back[:, :, ::-1]).astype(img.dtype)


class ColorJitter:
    """Brightness, contrast, saturation and hue, in a random order; see the single transforms."""

    def __init__(self, brightness: float = 0, contrast: float = 0, saturation: float = 0, hue: float = 0):
        self.transforms: list[Callable[[np.ndarray], np.ndarray]] = [
            make(value)
            for make, value in (
                (BrightnessTransform, brightness),
                (ContrastTransform, contrast),
                (SaturationTransform, saturation),
                (HueTransform, hue),
            )
            if value != 0
        ]

    def __call__(self, img: np.ndarray) -> np.ndarray:
        for i in np.random.permutation(len(self.transforms)):
            img = self.transforms[i](img)
        return img


class Grayscale:
    """The image in grey, with one channel or with three that are equal."""

    def __init__(self, output_channels: int = 1):
        if output_channels not in (1, 3):
            raise ArgumentError(f"Grayscale: output_channels must be 1 or 3, got {output_channels!r}")
        self.output_channels = output_channels

    def __call__(self, img: np.ndarray) -> np.ndarray:
        grey = _coloured("Grayscale", check_image("Grayscale", img)).astype(np.float32) @ _GREY
        return np.repeat(_as(img.dtype, grey)[..., np.newaxis], self.output_channels, axis=2)


class Normalize:
    """(image - mean) / std, for images [channels, height, width] as `Permute` gives them.

    Args:
        mean, std: a number, or one for each channel.
    """

    def __init__(self, mean: float | Sequence[float] = 0.0, std: float | Sequence[float] = 1.0):
        self.mean, self.std = (np.array(one, np.float32).reshape(-1, 1, 1) for one in (mean, std))
        if (self.std == 0).any():
            raise ArgumentError(f"Normalize: std must not be zero, got {std}")

    def __call__(self, img: np.ndarray) -> np.ndarray:
        check_image("Normalize", img)
        for name, values in (("mean", self.mean), ("std", self.std)):
            if len(values) > 1 and (img.ndim != 3 or len(values) != len(img)):
                raise ShapeError(f"Normalize: {name} has {len(values)} numbers, but the image is {list(img.shape)}")
        return ((img - self.mean) / self.std).astype(np.float32).reshape(img.shape)


class GaussianNoise:
    """Adds noise of this mean and deviation to every pixel."""

    def __init__(self, mean: float = 0.0, std: float = 1.0):
        self.mean, self.std = float(mean), float(std)

    def __call__(self, img: np.ndarray) -> np.ndarray:
        noise = np.random.normal(self.mean, self.std, check_image("GaussianNoise", img).shape)
        return _as(img.dtype, img.astype(np.float32) + noise)


def _coloured(what: str, img: np.ndarray) -> np.ndarray:
    if img.ndim != 3 or img.shape[2] != 3:
        raise ShapeError(f"{what}: the image must be [height, width, 3], got {list(img.shape)}")
    return img


def _as(dtype: np.dtype, pixels: np.ndarray) -> np.ndarray:
    """Pixels in [0, 255] in the dtype of the image; integers are truncated, as in Fluid."""
    return np.clip(pixels, 0, 255).astype(dtype)
