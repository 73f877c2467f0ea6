"""What the data sets of samples share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, NotFoundError
from refluid.data.datasets import common
from refluid.data.loading.dataset import Dataset

Transform = Callable[..., Any] | None


class LabelledImages(Dataset):
    """Images in memory and their labels: item i is (image, int64 [1])."""

    def __init__(self, images: list[np.ndarray], labels: Iterable[int], transform: Transform = None):
        self.images = images
        self.labels = [np.array([label], dtype=np.int64) for label in labels]
        self.transform = transform

    def __getitem__(self, idx: int) -> tuple[Any, np.ndarray]:
        image = self.images[idx]
        return image if self.transform is None else self.transform(image), self.labels[idx]

    def __len__(self) -> int:
        return len(self.labels)


class Samples(Dataset):
    """Samples in memory: item i is a tuple of arrays, one for each field."""

    def __init__(self, samples: Iterable[Sequence[Any]]):
        self.samples = list(samples)

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        return tuple(np.array(field) for field in self.samples[idx])

    def __len__(self) -> int:
        return len(self.samples)


def check_mode(what: str, mode: object, known: tuple[str, ...] = ("train", "test")) -> str:
    if not isinstance(mode, str) or mode.lower() not in known:
        raise ArgumentError(f"{what}: mode must be one of {', '.join(known)}, got {mode!r}")
    return mode.lower()


def check_files(what: str, download: bool, **files: str | None) -> bool:
    """Whether the files are given; some but not all, or none where nothing may be fetched, is an error."""
    present = [name for name, path in files.items() if path is not None]
    if present and len(present) < len(files):
        missing = ", ".join(name for name in files if name not in present)
        raise ArgumentError(f"{what}: {', '.join(present)} is given, so {missing} must be too")
    for name in present:
        if not os.path.isfile(str(files[name])):
            raise NotFoundError(f"{what}: {name}: there is no file {files[name]!r}")
    if not present and not download:
        raise ArgumentError(f"{what}: download=False, so {', '.join(files)} must be given")
    return bool(present)


def given_or_found(what: str, download: bool, data_file: str | None, url: str, md5sum: str) -> str:
    """The archive that was given, or the one that `paddle.dataset` has, which is fetched if need be."""
    given = check_files(what, download, data_file=data_file)
    return str(data_file) if given else common.find(url, what.lower(), md5sum)


def check_size(what: str, **sizes: object) -> None:
    for name, size in sizes.items():
        if not isinstance(size, int) or size < 1:
            raise ArgumentError(f"{what}: {name} must be given, as an int of at least 1, got {size!r}")
