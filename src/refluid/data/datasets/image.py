"""Images as arrays: loading, resizing, cropping. Colours are in the order blue, green, red, as OpenCV has them."""

from __future__ import annotations

import io
import os
import pickle
import tarfile
from collections.abc import Sequence
from typing import IO

import numpy as np
import torch
from PIL import Image

from refluid.core.errors import ArgumentError


def load_image_bytes(bytes: bytes, is_color: bool = True) -> np.ndarray:
    """The pixels of an encoded image: uint8 [height, width, 3] in blue, green, red; [height, width] if grey."""
    return _pixels(Image.open(io.BytesIO(bytes)), is_color)


def load_image(file: str | IO[bytes], is_color: bool = True) -> np.ndarray:
    """The pixels of an image file, in the form of `load_image_bytes`."""
    with Image.open(file) as image:
        return _pixels(image, is_color)


def _pixels(image: Image.Image, is_color: bool) -> np.ndarray:
    if is_color:
        return np.ascontiguousarray(np.array(image.convert("RGB"))[:, :, ::-1])
    return np.array(image.convert("L"))


def resize_short(im: np.ndarray, size: int) -> np.ndarray:
    """Resize so that the shorter side has `size` pixels, by cubic interpolation, as OpenCV does it."""
    height, width = im.shape[:2]
    tall, wide = (size * height // width, size) if height > width else (size, size * width // height)
    planes = torch.from_numpy(np.ascontiguousarray(im)).float()
    planes = planes.permute(2, 0, 1)[None] if im.ndim == 3 else planes[None, None]
    resized = torch.nn.functional.interpolate(planes, size=(tall, wide), mode="bicubic", align_corners=False)[0]
    resized = resized.permute(1, 2, 0) if im.ndim == 3 else resized[0]
    if np.issubdtype(im.dtype, np.integer):
        limits = np.iinfo(im.dtype)
        resized = resized.round().clamp(limits.min, limits.max)
    return np.ascontiguousarray(resized.numpy().astype(im.dtype))


def to_chw(im: np.ndarray, order: Sequence[int] = (2, 0, 1)) -> np.ndarray:
    """[height, width, channels] to [channels, height, width]."""
    if im.ndim != len(order):
        raise ArgumentError(f"to_chw: order has {len(order)} axes, but the image has the shape {im.shape}")
    return im.transpose(order)


def center_crop(im: np.ndarray, size: int, is_color: bool = True) -> np.ndarray:
    """The center crop of `size` x `size` pixels."""
    height, width = im.shape[:2]
    return _crop(im, (height - size) // 2, (width - size) // 2, size)


def random_crop(im: np.ndarray, size: int, is_color: bool = True) -> np.ndarray:
    """A crop of `size` x `size` pixels at a random position, by numpy's random state."""
    height, width = im.shape[:2]
    top = np.random.randint(0, height - size + 1)
    return _crop(im, top, np.random.randint(0, width - size + 1), size)


def _crop(im: np.ndarray, top: int, left: int, size: int) -> np.ndarray:
    if top < 0 or left < 0:
        raise ArgumentError(f"crop: {size} pixels are more than an image of shape {im.shape} has")
    return im[top : top + size, left : left + size]


def left_right_flip(im: np.ndarray, is_color: bool = True) -> np.ndarray:
    """The image flipped left to right."""
    return im[:, ::-1]


def simple_transform(
    im: np.ndarray,
    resize_size: int,
    crop_size: int,
    is_train: bool,
    is_color: bool = True,
    mean: np.ndarray | Sequence[float] | None = None,
) -> np.ndarray:
    """Resize, crop, and make float32 [channels, height, width] less `mean`.

    Args:
        im: [height, width, channels], or [height, width] if grey.
        resize_size: the shorter side after resizing.
        crop_size: the sides after cropping.
        is_train: crop at random and flip at random; else crop the center.
        mean: one number per channel, or an array of the shape of the result.
    """
    im = resize_short(im, resize_size)
    if is_train:
        im = random_crop(im, crop_size, is_color=is_color)
        if np.random.randint(2) == 0:
            im = left_right_flip(im, is_color)
    else:
        im = center_crop(im, crop_size, is_color=is_color)
    if im.ndim == 3:
        im = to_chw(im)
    im = im.astype(np.float32)
    if mean is not None:
        mean = np.array(mean, dtype=np.float32)
        im -= mean[:, np.newaxis, np.newaxis] if mean.ndim == 1 and is_color else mean
    return im


def load_and_transform(
    filename: str,
    resize_size: int,
    crop_size: int,
    is_train: bool,
    is_color: bool = True,
    mean: np.ndarray | None = None,
) -> np.ndarray:
    """`simple_transform` of an image file."""
    return simple_transform(load_image(filename, is_color), resize_size, crop_size, is_train, is_color, mean)


def batch_images_from_tar(
    data_file: str, dataset_name: str, img2label: dict[str, int], num_per_batch: int = 1024
) -> str:
    """Write the encoded images of an archive that have labels into pickles of `num_per_batch`, beside the archive.

    Returns:
        The path of a text file with the names of the pickles, each of {"data": list of bytes, "label": list of int}.
    """
    folder = f"{data_file}_{dataset_name}_batch"
    listing = f"{folder}/batch_list.txt"
    if os.path.exists(listing):
        return listing
    os.makedirs(folder, exist_ok=True)
    written: list[str] = []
    data: list[bytes] = []
    labels: list[int] = []

    def write() -> None:
        written.append(os.path.abspath(f"{folder}/batch_{len(written)}"))
        with open(written[-1], "wb") as file:
            pickle.dump({"data": data, "label": labels}, file)

    with tarfile.open(data_file) as tar:
        for member in tar:
            if member.name in img2label:
                data.append(tar.extractfile(member).read())  # type: ignore[union-attr]
                labels.append(img2label[member.name])
                if len(data) == num_per_batch:
                    write()
                    data, labels = [], []
    if data:
        write()
    with open(f"{listing}.part", "w", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in written)
    os.replace(f"{listing}.part", listing)
    return listing
