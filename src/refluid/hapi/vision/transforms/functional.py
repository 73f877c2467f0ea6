"""Resizing and flipping of arrays [height, width] or [height, width, channels]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from refluid.core.errors import ArgumentError, ShapeError

# By name, and by OpenCV's numbers for them, which programs of the time pass.
_METHODS = {
    "nearest": "nearest",
    "bilinear": "bilinear",
    "bicubic": "bicubic",
    0: "nearest",
    1: "bilinear",
    2: "bicubic",
}


def check_image(what: str, img: object) -> np.ndarray:
    if not isinstance(img, np.ndarray) or img.ndim not in (2, 3):
        got = f"shape {list(img.shape)}" if isinstance(img, np.ndarray) else type(img).__name__
        raise ShapeError(f"{what}: an image must be an array [height, width] or [height, width, channels], got {got}")
    return img


def flip(image: np.ndarray, code: int) -> np.ndarray:
    """Flip an image: code 0 upside down, 1 left to right, -1 both."""
    check_image("flip", image)
    if code not in (-1, 0, 1):
        raise ArgumentError(f"flip: code must be -1, 0 or 1, got {code!r}")
    axes = {0: (0,), 1: (1,), -1: (0, 1)}[code]
    return np.ascontiguousarray(np.flip(image, axes))


def resize(img: np.ndarray, size: int | Sequence[int], interpolation: int | str = "bilinear") -> np.ndarray:
    """Another size.

    Args:
        size: (height, width), or the length of the shorter side, which keeps the aspect ratio.
        interpolation: "nearest", "bilinear" or "bicubic", as OpenCV does them.
    """
    check_image("resize", img)
    if interpolation not in _METHODS:
        raise ArgumentError(f"resize: interpolation must be nearest, bilinear or bicubic, got {interpolation!r}")
    height, width = img.shape[:2]
    if isinstance(size, int):
        if size < 1:
            raise ArgumentError(f"resize: size must be at least 1, got {size}")
        tall, wide = (size * height // width, size) if width <= height else (size, size * width // height)
    else:
        if len(size) != 2 or min(size) < 1:
            raise ArgumentError(f"resize: size must be a number or (height, width), got {size!r}")
        tall, wide = size
    if (tall, wide) == (height, width):
        return img
    method = _METHODS[interpolation]
    planes = torch.from_numpy(np.ascontiguousarray(img)).float()
    planes = planes.permute(2, 0, 1)[None] if img.ndim == 3 else planes[None, None]
    options = {} if method == "nearest" else {"align_corners": False}
    resized = torch.nn.functional.interpolate(planes, size=(tall, wide), mode=method, **options)[0]
    resized = resized.permute(1, 2, 0) if img.ndim == 3 else resized[0]
    if np.issubdtype(img.dtype, np.integer):
        limits = np.iinfo(img.dtype)
        resized = resized.round().clamp(limits.min, limits.max)
    return np.ascontiguousarray(resized.numpy().astype(img.dtype))
