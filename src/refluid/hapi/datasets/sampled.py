"""What the data sets of samples share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError
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


def check_mode(what: str, mode: Any, known: tuple[str, ...] = ("train", "test")) -> str:
    if not isinstance(mode, str) or mode.lower() not in known:
        raise ArgumentError(f"{what}: mode must be one of {', '.join(known)}, got {mode!r}")
    return mode.lower()


def check_files(what: str, download: bool, **files: str | None) -> bool:
    """Whether the files are given; some but not all, or none where nothing may be fetched, is an error."""
    given = [name for name, path in files.items() if path is not None]
    if given and len(given) < len(files):
        missing = ", ".join(name for name in files if name not in given)
        raise ArgumentError(f"{what}: {', '.join(given)} is given, so {missing} must be too")
    if not given and not download:
        raise ArgumentError(f"{what}: download=False, so {', '.join(files)} must be given")
    return bool(given)
