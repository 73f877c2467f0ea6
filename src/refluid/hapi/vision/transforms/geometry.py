"""Geometric transforms: sizes, crops, flips, axes. Random numbers come from numpy's random state."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from refluid.core.errors import ArgumentError, ShapeError
from refluid.hapi.vision.transforms.functional import check_image, flip, resize

Size = int | Sequence[int]


class Resize:
    """Resizes to (height, width), or so that the shorter side has `size` pixels."""

    def __init__(self, size: Size, interpolation: int | str = "bilinear"):
        self.size = _size("Resize", size) if not isinstance(size, int) else size
        self.interpolation = interpolation

    def __call__(self, img: np.ndarray) -> np.ndarray:
        return resize(img, self.size, self.interpolation)


class CenterCrop:
    """The center crop of an image, which must be at least as large."""

    def __init__(self, output_size: Size):
        self.output_size = _size("CenterCrop", output_size)

    def __call__(self, img: np.ndarray) -> np.ndarray:
        height, width = self.output_size
        tall, wide = check_image("CenterCrop", img).shape[:2]
        _check_larger("CenterCrop", img, self.output_size)
        top, left = round((tall - height) / 2), round((wide - width) / 2)
        return img[top : top + height, left : left + width]


class CenterCropResize:
    """A center crop of `size` / (`size` + `crop_padding`) of the shorter side, resized to `size`."""

    def __init__(self, size: Size, crop_padding: int = 32, interpolation: int | str = "bilinear"):
        self.size = _size("CenterCropResize", size)
        self.crop_padding, self.interpolation = crop_padding, interpolation

    def __call__(self, img: np.ndarray) -> np.ndarray:
        tall, wide = check_image("CenterCropResize", img).shape[:2]
        side = min(self.size)
        crop = int(side / (side + self.crop_padding) * min(tall, wide))
        top, left = (tall - crop + 1) // 2, (wide - crop + 1) // 2
        return resize(img[top : top + crop, left : left + crop], self.size, self.interpolation)


class RandomCrop:
    """A crop at a random position."""

    def __init__(self, output_size: Size):
        self.output_size = _size("RandomCrop", output_size)

    def __call__(self, img: np.ndarray) -> np.ndarray:
        height, width = self.output_size
        tall, wide = check_image("RandomCrop", img).shape[:2]
        _check_larger("RandomCrop", img, self.output_size)
        top, left = np.random.randint(tall - height + 1), np.random.randint(wide - width + 1)
        return img[top : top + height, left : left + width]


class RandomResizedCrop:
    """A crop of random area, aspect ratio and position, resized.

    Args:
        output_size: of the result.
        scale: the range of the crop's fraction of the area.
        ratio: the range of its aspect ratio, width / height.
    """

    _ATTEMPTS = 10

    def __init__(
        self,
        output_size: Size,
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4, 4.0 / 3),
        interpolation: int | str = "bilinear",
    ):
        self.output_size = _size("RandomResizedCrop", output_size)
        for name, (low, high) in (("scale", scale), ("ratio", ratio)):
            if not 0 < low <= high:
                raise ArgumentError(f"RandomResizedCrop: {name} must be two rising positive numbers, got {low}, {high}")
        self.scale, self.ratio, self.interpolation = scale, ratio, interpolation

    def __call__(self, img: np.ndarray) -> np.ndarray:
        top, left, height, width = self._part(*check_image("RandomResizedCrop", img).shape[:2])
        return resize(img[top : top + height, left : left + width], self.output_size, self.interpolation)

    def _part(self, tall: int, wide: int) -> tuple[int, int, int, int]:
        for _ in range(self._ATTEMPTS):
            area = np.random.uniform(self.scale[0], self.scale[1]) * tall * wide
            aspect = math.exp(np.random.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            width, height = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
            if 0 < width <= wide and 0 < height <= tall:
                return np.random.randint(tall - height + 1), np.random.randint(wide - width + 1), height, width
        # No such crop fits: the center crop, in the ratio that comes nearest.
        aspect = min(max(wide / tall, self.ratio[0]), self.ratio[1])
        width, height = min(wide, round(tall * aspect)), min(tall, round(wide / aspect))
        return (tall - height) // 2, (wide - width) // 2, height, width


class RandomHorizontalFlip:
    """Flips left to right with the probability `prob`."""

    code = 1

    def __init__(self, prob: float = 0.5):
        if not 0 <= prob <= 1:
            raise ArgumentError(f"{type(self).__name__}: prob must lie in [0, 1], got {prob}")
        self.prob = prob

    def __call__(self, img: np.ndarray) -> np.ndarray:
        check_image(type(self).__name__, img)
        return flip(img, self.code) if np.random.random() < self.prob else img


class RandomVerticalFlip(RandomHorizontalFlip):
    """Flips upside down with the probability `prob`."""

    code = 0


class Permute:
    """[height, width, channels] to [channels, height, width].

    Args:
        mode: "CHW".
        to_rgb: blue, green, red become red, green, blue.
    """

    def __init__(self, mode: str = "CHW", to_rgb: bool = True):
        if mode != "CHW":
            raise ArgumentError(f"Permute: mode must be 'CHW', got {mode!r}")
        self.mode, self.to_rgb = mode, to_rgb

    def __call__(self, img: np.ndarray) -> np.ndarray:
        if check_image("Permute", img).ndim == 2:
            return img[np.newaxis]
        if self.to_rgb:
            img = img[:, :, ::-1]
        return np.ascontiguousarray(img.transpose(2, 0, 1))


def _size(what: str, size: Size) -> tuple[int, int]:
    found = (size, size) if isinstance(size, int) else tuple(size)
    if len(found) != 2 or not all(isinstance(one, int) and one >= 1 for one in found):
        raise ArgumentError(f"{what}: a size must be a number or (height, width) of at least 1, got {size!r}")
    return found


def _check_larger(what: str, img: np.ndarray, size: tuple[int, int]) -> None:
    if img.shape[0] < size[0] or img.shape[1] < size[1]:
        raise ShapeError(f"{what}: the image must be at least {list(size)}, got {list(img.shape)}")
