"""CIFAR-10 and CIFAR-100, the tiny images of Krizhevsky: 3 x 32 x 32 pixels in [0, 1] and a label."""

import pickle
from collections.abc import Callable, Iterator

import numpy as np

from refluid.core.errors import DataFileError
from refluid.data.datasets import common

URL_PREFIX = "https://dataset.bj.bcebos.com/cifar/"
CIFAR10_URL = URL_PREFIX + "cifar-10-python.tar.gz"
CIFAR10_MD5 = "c58f30108f718f92721af3b95e74349a"
CIFAR100_URL = URL_PREFIX + "cifar-100-python.tar.gz"
CIFAR100_MD5 = "eb9058c3a382ffc7106e4002c42a8d85"

Reader = Callable[[], Iterator[tuple[np.ndarray, int]]]


def train100() -> Reader:
    """A reader of the 50,000 training images of CIFAR-100: (float32 [3072], label from 0 to 99)."""
    return reader_creator(common.find(CIFAR100_URL, "cifar", CIFAR100_MD5), "train")


def test100() -> Reader:
    """A reader of the 10,000 test images of CIFAR-100."""
    return reader_creator(common.find(CIFAR100_URL, "cifar", CIFAR100_MD5), "test")


def train10(cycle: bool = False) -> Reader:
    """A reader of the 50,000 training images of CIFAR-10: (float32 [3072], label from 0 to 9); with cycle, for ever."""
    return reader_creator(common.find(CIFAR10_URL, "cifar", CIFAR10_MD5), "data_batch", cycle)


def test10(cycle: bool = False) -> Reader:
    """A reader of the 10,000 test images of CIFAR-10."""
    return reader_creator(common.find(CIFAR10_URL, "cifar", CIFAR10_MD5), "test_batch", cycle)


def fetch() -> None:
    """Download the official files into the cache folder."""
    common.download(CIFAR10_URL, "cifar", CIFAR10_MD5)
    common.download(CIFAR100_URL, "cifar", CIFAR100_MD5)


def reader_creator(filename: str, sub_name: str, cycle: bool = False) -> Reader:
    """A reader of the members of an archive whose names hold `sub_name`."""

    def reader() -> Iterator[tuple[np.ndarray, int]]:
        while True:
            empty = True
            for name, content in common.members(filename, lambda name: sub_name in name):
                batch = pickle.loads(content, encoding="bytes")
                labels = batch.get(b"labels", batch.get(b"fine_labels"))
                if labels is None:
                    raise DataFileError(f"cifar: {name} in {filename} has neither labels nor fine_labels")
                for pixels, label in zip(batch[b"data"], labels, strict=True):
                    empty = False
                    yield (pixels / 255.0).astype(np.float32), int(label)
            if empty:
                raise DataFileError(f"cifar: {filename} has no {sub_name}")
            if not cycle:
                return

    return reader
