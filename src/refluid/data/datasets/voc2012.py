"""PASCAL VOC 2012, segmentation: an image [height, width, 3] and its classes [height, width], both uint8."""

import io
import tarfile
from collections.abc import Callable, Iterator

import numpy as np
from PIL import Image

from refluid.core.errors import DataFileError
from refluid.data.datasets import common

VOC_URL = "http://host.robots.ox.ac.uk/pascal/VOC/voc2012/VOCtrainval_11-May-2012.tar"
VOC_MD5 = "6cd6e144f989b92b3379bac3b3de84fd"
CACHE_DIR = "voc2012"
SET_FILE = "VOCdevkit/VOC2012/ImageSets/Segmentation/{}.txt"
DATA_FILE = "VOCdevkit/VOC2012/JPEGImages/{}.jpg"
LABEL_FILE = "VOCdevkit/VOC2012/SegmentationClass/{}.png"

Reader = Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]]


def train() -> Reader:
    """A reader of the 2,913 images for training and validation."""
    return reader_creator(_path(), "trainval")


def test() -> Reader:
    """A reader of the 1,464 images for training alone, as in Fluid: those for testing have no public classes."""
    return reader_creator(_path(), "train")


def val() -> Reader:
    """A reader of the 1,449 images for validation."""
    return reader_creator(_path(), "val")


def fetch() -> None:
    """Download the official file into the cache folder."""
    common.download(VOC_URL, CACHE_DIR, VOC_MD5)


def reader_creator(filename: str, sub_name: str) -> Reader:
    """A reader of one of the sets of the archive."""

    def reader() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for image, classes in encoded(filename, sub_name):
            yield decoded(image), decoded(classes)

    return reader


def encoded(filename: str, sub_name: str) -> Iterator[tuple[bytes, bytes]]:
    """The files of images and of their classes, of one of the sets of the archive."""
    try:
        with tarfile.open(filename) as tar:

            def read(name: str) -> bytes:
                try:
                    return tar.extractfile(name).read()  # type: ignore[union-attr]
                except KeyError:
                    raise DataFileError(f"voc2012: {filename} has no {name}") from None

            for name in read(SET_FILE.format(sub_name)).decode("ascii").split():
                yield read(DATA_FILE.format(name)), read(LABEL_FILE.format(name))
    except tarfile.TarError as problem:
        raise DataFileError(f"voc2012: {filename} is damaged ({problem}); remove it to get it anew") from problem


def decoded(content: bytes) -> np.ndarray:
    return np.array(Image.open(io.BytesIO(content)))


def _path() -> str:
    return common.find(VOC_URL, CACHE_DIR, VOC_MD5)
