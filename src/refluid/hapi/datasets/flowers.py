"""The 102 flowers by index."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.data.datasets import common, flowers
from refluid.data.datasets.image import load_image_bytes
from refluid.data.loading.dataset import Dataset
from refluid.hapi.datasets.sampled import Transform, check_files, check_mode

_FLAGS = {"train": flowers.TRAIN_FLAG, "test": flowers.TEST_FLAG, "valid": flowers.VALID_FLAG}
_FILES = (
    (flowers.DATA_URL, flowers.DATA_MD5),
    (flowers.LABEL_URL, flowers.LABEL_MD5),
    (flowers.SETID_URL, flowers.SETID_MD5),
)


class Flowers(Dataset):
    """Flowers of 102 kinds: (uint8 [height, width, 3] in blue, green, red, int64 [1]).

    Images are kept as they are in the archive and decoded when they are asked for; they have sizes of their own, so
    that batches need a transform that makes them alike.

    Args:
        data_file, label_file, setid_file: the official files; found or fetched as `paddle.dataset.flowers` does where
            they are not given.
        mode: "train", "valid" or "test".
        transform: a function of the image.
        download: whether files may be found without being given.
    """

    def __init__(
        self,
        data_file: str | None = None,
        label_file: str | None = None,
        setid_file: str | None = None,
        mode: str = "train",
        transform: Transform = None,
        download: bool = True,
    ):
        self.mode = check_mode("Flowers", mode, tuple(_FLAGS))
        files: list[Any] = [data_file, label_file, setid_file]
        if not check_files("Flowers", download, data_file=data_file, label_file=label_file, setid_file=setid_file):
            files = [common.find(url, "flowers", md5sum) for url, md5sum in _FILES]
        data, label, setid = files
        reader = flowers.reader_creator(data, label, setid, _FLAGS[self.mode], _as_it_is, use_xmap=False)
        self._samples = list(reader())
        self.transform = transform

    def __getitem__(self, idx: int) -> tuple[Any, np.ndarray]:
        encoded, label = self._samples[idx]
        image = load_image_bytes(encoded)
        return image if self.transform is None else self.transform(image), np.array([label], dtype=np.int64)

    def __len__(self) -> int:
        return len(self._samples)


def _as_it_is(sample: tuple[bytes, int]) -> tuple[bytes, int]:
    return sample
