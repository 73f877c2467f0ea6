"""paddle.utils.image_util: arrays of pictures, colours first, as PaddlePaddle's first examples handled them."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from PIL import Image

from refluid.core.errors import ArgumentError


def resize_image(img: Image.Image, target_size: int) -> Image.Image:
    """A picture resized so that its shorter side has this length."""
    factor = target_size / min(img.size)
    return img.resize((round(img.size[0] * factor), round(img.size[1] * factor)), Image.Resampling.LANCZOS)


def flip(im: np.ndarray) -> np.ndarray:
    """The image flipped left to right, [colours, height, width] or [height, width]."""
    return im[..., ::-1]


def crop_img(im: np.ndarray, inner_size: int, color: bool = True, test: bool = True) -> np.ndarray:
    """The center crop of a picture, [inner_size, inner_size]; if not `test`, a random crop, randomly flipped.

    Smaller pictures are zero-padded first.
    """
    height, width = max(inner_size, im.shape[-2]), max(inner_size, im.shape[-1])
    padded = np.zeros((*([3] if color else []), height, width), "float64" if color else "float32")
    top, left = (height - im.shape[-2]) // 2, (width - im.shape[-1]) // 2
    padded[..., top : top + im.shape[-2], left : left + im.shape[-1]] = im
    if test:
        top, left = (height - inner_size) // 2, (width - inner_size) // 2
    else:
        top = np.random.randint(0, height - inner_size + 1)
        left = np.random.randint(0, width - inner_size + 1)
    part = padded[..., top : top + inner_size, left : left + inner_size]
    return flip(part) if not test and np.random.randint(2) == 0 else part


def decode_jpeg(jpeg_string: bytes) -> np.ndarray:
    """The picture in the bytes of a file, colours first."""
    array = np.array(Image.open(io.BytesIO(jpeg_string)))
    return array.transpose(2, 0, 1) if array.ndim == 3 else array


def preprocess_img(
    im: np.ndarray, img_mean: np.ndarray, crop_size: int, is_train: bool, color: bool = True
) -> np.ndarray:
    """A crop of the picture minus the mean, as one row."""
    return (crop_img(im.astype("float32"), crop_size, color, test=not is_train) - img_mean).flatten()


def load_meta(meta_path: str, mean_img_size: int, crop_size: int, color: bool = True) -> np.ndarray:
    """The center crop of the mean picture that a file (.npz, under `data_mean`) has."""
    with np.load(meta_path) as file:
        mean = file["data_mean"]
    sizes = (*([3] if color else []), mean_img_size, mean_img_size)
    if mean.size != int(np.prod(sizes)):
        raise ArgumentError(f"load_meta: {meta_path!r} has {mean.size} numbers, expected {list(sizes)}")
    border = (mean_img_size - crop_size) // 2
    part = slice(border, border + crop_size)
    return mean.reshape(sizes)[..., part, part].astype("float32")


def load_image(img_path: str, is_color: bool = True) -> Image.Image:
    """The picture in a file."""
    img = Image.open(img_path)
    img.load()
    return img


def oversample(img: Sequence[np.ndarray], crop_dims: Sequence[int]) -> np.ndarray:
    """Ten crops of every picture [height, width, colours]: the corners and the center, and those flipped."""
    height, width = crop_dims
    parts = []
    for picture in img:
        down, right = picture.shape[0] - height, picture.shape[1] - width
        corners = [(0, 0), (0, right), (down, 0), (down, right), (down // 2, right // 2)]
        five = [picture[y : y + height, x : x + width] for y, x in corners]
        parts += [*five, *(part[:, ::-1] for part in five)]
    return np.stack(parts).astype("float32")


class ImageTransformer:
    """Preprocesses pictures: axes transposed, colours reordered, a mean subtracted."""

    def __init__(
        self,
        transpose: Sequence[int] | None = None,
        channel_swap: Sequence[int] | None = None,
        mean: np.ndarray | None = None,
        is_color: bool = True,
    ):
        self.is_color = is_color
        self.set_transpose(transpose)
        self.set_channel_swap(channel_swap)
        self.set_mean(mean)

    def set_transpose(self, order: Sequence[int] | None) -> None:
        self.transpose = self._order("transpose", order)

    def set_channel_swap(self, order: Sequence[int] | None) -> None:
        self.channel_swap = self._order("channel_swap", order)

    def _order(self, what: str, order: Sequence[int] | None) -> Sequence[int] | None:
        if order is not None and self.is_color and len(order) != 3:
            raise ArgumentError(f"ImageTransformer: {what} must have three numbers, got {order!r}")
        return order

    def set_mean(self, mean: np.ndarray | None) -> None:
        """A mean per colour, or a picture."""
        self.mean = mean[:, None, None] if mean is not None and mean.ndim == 1 else mean

    def transformer(self, data: np.ndarray) -> np.ndarray:
        if self.transpose is not None:
            data = data.transpose(self.transpose)
        if self.channel_swap is not None:
            data = data[self.channel_swap, :, :]
        return data if self.mean is None else data - self.mean
