"""The 102 flowers of Nilsback and Zisserman: 3 x 224 x 224 pixels minus their mean, and a label from 0 to 101.

As in Fluid, what the authors call the test set, which is the largest, is used for training.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from refluid.data.datasets import common, matlab
from refluid.data.datasets.image import batch_images_from_tar, load_image_bytes, simple_transform
from refluid.data.readers.combine import Reader, map_readers
from refluid.data.readers.threads import xmap_readers

DATA_URL = "http://paddlemodels.bj.bcebos.com/flowers/102flowers.tgz"
DATA_MD5 = "52808999861908f626f3c1f4e79d11fa"
LABEL_URL = "http://paddlemodels.bj.bcebos.com/flowers/imagelabels.mat"
LABEL_MD5 = "e0620be6f572b9609742df49c70aed4d"
SETID_URL = "http://paddlemodels.bj.bcebos.com/flowers/setid.mat"
SETID_MD5 = "a5357ecc9cb78c4bef273ce3793fc85c"
TRAIN_FLAG, TEST_FLAG, VALID_FLAG = "tstid", "trnid", "valid"
_MEAN = [103.94, 116.78, 123.68]  # of blue, green, red
_THREADS = 2

Mapper = Callable[[tuple[bytes, int]], Any]


def default_mapper(is_train: bool, sample: tuple[bytes, int]) -> tuple[np.ndarray, int]:
    """An encoded image as float32 [150528] of 3 x 224 x 224, and its label."""
    data, label = sample
    image = simple_transform(load_image_bytes(data), 256, 224, is_train, mean=_MEAN)
    return image.flatten().astype(np.float32), label


train_mapper = partial(default_mapper, True)
test_mapper = partial(default_mapper, False)


def train(
    mapper: Mapper = train_mapper, buffered_size: int = 1024, use_xmap: bool = True, cycle: bool = False
) -> Reader:
    """A reader of training flowers.

    Args:
        mapper: makes a sample of (encoded image, label).
        buffered_size: how many samples wait.
        use_xmap: map in threads; samples then come in any order.
        cycle: begin again at the end, for ever.
    """
    return _reader(TRAIN_FLAG, mapper, buffered_size, use_xmap, cycle)


def test(mapper: Mapper = test_mapper, buffered_size: int = 1024, use_xmap: bool = True, cycle: bool = False) -> Reader:
    """A reader of test flowers, in the form of `train`."""
    return _reader(TEST_FLAG, mapper, buffered_size, use_xmap, cycle)


def valid(mapper: Mapper = test_mapper, buffered_size: int = 1024, use_xmap: bool = True) -> Reader:
    """A reader of validation flowers, in the form of `train`."""
    return _reader(VALID_FLAG, mapper, buffered_size, use_xmap, cycle=False)


def _reader(flag: str, mapper: Mapper, buffered_size: int, use_xmap: bool, cycle: bool) -> Reader:
    files = ((DATA_URL, DATA_MD5), (LABEL_URL, LABEL_MD5), (SETID_URL, SETID_MD5))
    data, label, setid = [common.find(url, "flowers", md5sum) for url, md5sum in files]
    return reader_creator(data, label, setid, flag, mapper, buffered_size, use_xmap, cycle)


def reader_creator(
    data_file: str,
    label_file: str,
    setid_file: str,
    dataset_name: str,
    mapper: Mapper,
    buffered_size: int = 1024,
    use_xmap: bool = True,
    cycle: bool = False,
) -> Reader:
    """A reader of one of the sets that setid_file names."""
    labels = matlab.load(label_file)["labels"][0]
    chosen = matlab.load(setid_file)[dataset_name][0]
    label_of = {f"jpg/image_{int(i):05d}.jpg": int(labels[i - 1]) - 1 for i in chosen}
    listing = batch_images_from_tar(data_file, dataset_name, label_of)

    def encoded() -> Iterator[tuple[bytes, int]]:
        while True:
            with open(listing, encoding="utf-8") as file:
                names = file.read().split()
            for name in names:
                with open(name, "rb") as file:
                    batch = pickle.load(file)
                yield from zip(batch["data"], batch["label"], strict=True)
            if not cycle:
                return

    return xmap_readers(mapper, encoded, _THREADS, buffered_size) if use_xmap else map_readers(mapper, encoded)


def fetch() -> None:
    """Download the official files into the cache folder."""
    for url, md5sum in ((DATA_URL, DATA_MD5), (LABEL_URL, LABEL_MD5), (SETID_URL, SETID_MD5)):
        common.download(url, "flowers", md5sum)
