"""Segmented images by index."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.data.datasets import voc2012
from refluid.data.loading.dataset import Dataset
from refluid.hapi.datasets.sampled import Transform, check_mode, given_or_found

# As in `paddle.dataset.voc2012`: the images for testing have no public classes.
_SETS = {"train": "trainval", "test": "train", "valid": "val"}


class VOC2012(Dataset):
    """Images and the classes of their pixels: (uint8 [height, width, 3], uint8 [height, width]).

    Images are kept as they are in the archive and decoded when they are asked for.

    Args:
        data_file: the official archive; found or fetched as `paddle.dataset.voc2012` does where it is not given.
        mode: "train", "valid" or "test".
        transform: a function of the image.
        download: whether the file may be found without being given.
    """

    def __init__(
        self, data_file: str | None = None, mode: str = "train", transform: Transform = None, download: bool = True
    ):
        self.mode = check_mode("VOC2012", mode, tuple(_SETS))
        path = given_or_found("VOC2012", download, data_file, voc2012.VOC_URL, voc2012.VOC_MD5)
        self._samples = list(voc2012.encoded(path, _SETS[self.mode]))
        self.transform = transform

    def __getitem__(self, idx: int) -> tuple[Any, np.ndarray]:
        image, classes = (voc2012.decoded(content) for content in self._samples[idx])
        return image if self.transform is None else self.transform(image), classes

    def __len__(self) -> int:
        return len(self._samples)
