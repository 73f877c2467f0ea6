"""Folders of files as data sets."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from refluid.core.errors import ArgumentError, NotFoundError
from refluid.data.datasets.image import load_image
from refluid.data.loading.dataset import Dataset
from refluid.hapi.datasets.sampled import Transform

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


class DatasetFolder(Dataset):
    """A folder for each class: item i is (sample, number of its class).

    Args:
        root: the folder of the classes' folders; classes are numbered in the order of their names.
        loader: makes a sample of a path; by default uint8 [height, width, 3] in blue, green, red.
        extensions: which files count, by the ends of their names; images by default.
        transform: a function of the sample.
        is_valid_file: which files count, as a function of the path, in place of extensions.
    """

    def __init__(
        self,
        root: str,
        loader: Callable[[str], Any] | None = None,
        extensions: str | Sequence[str] | None = None,
        transform: Transform = None,
        is_valid_file: Callable[[str], bool] | None = None,
    ):
        counts = _counts("DatasetFolder", extensions, is_valid_file)
        self.root, self.loader, self.transform = root, loader or load_image, transform
        self.classes = sorted(entry.name for entry in os.scandir(_folder("DatasetFolder", root)) if entry.is_dir())
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}
        self.samples = [
            (path, number)
            for name, number in self.class_to_idx.items()
            for path in _files(os.path.join(root, name), counts)
        ]
        if not self.samples:
            raise NotFoundError(f"DatasetFolder: there is no file that counts in the folders of {root!r}")
        self.targets = [number for _, number in self.samples]

    def __getitem__(self, idx: int) -> tuple[Any, int]:
        path, number = self.samples[idx]
        sample = self.loader(path)
        return sample if self.transform is None else self.transform(sample), number

    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(Dataset):
    """All images of a folder and of those inside, without labels: item i is [sample]; see DatasetFolder."""

    def __init__(
        self,
        root: str,
        loader: Callable[[str], Any] | None = None,
        extensions: str | Sequence[str] | None = None,
        transform: Transform = None,
        is_valid_file: Callable[[str], bool] | None = None,
    ):
        counts = _counts("ImageFolder", extensions, is_valid_file)
        self.root, self.loader, self.transform = root, loader or load_image, transform
        self.samples = list(_files(_folder("ImageFolder", root), counts))
        if not self.samples:
            raise NotFoundError(f"ImageFolder: there is no file that counts in {root!r}")

    def __getitem__(self, idx: int) -> list[Any]:
        sample = self.loader(self.samples[idx])
        return [sample if self.transform is None else self.transform(sample)]

    def __len__(self) -> int:
        return len(self.samples)


def _folder(what: str, root: str) -> str:
    if not os.path.isdir(root):
        raise NotFoundError(f"{what}: there is no folder {root!r}")
    return root


def _counts(
    what: str, extensions: str | Sequence[str] | None, chosen: Callable[[str], bool] | None
) -> Callable[[str], bool]:
    if extensions is not None and chosen is not None:
        raise ArgumentError(f"{what}: give either extensions or is_valid_file, not both")
    if chosen is not None:
        return chosen
    chosen_ends = [extensions] if isinstance(extensions, str) else extensions
    ends = IMG_EXTENSIONS if chosen_ends is None else tuple(one.lower() for one in chosen_ends)
    return lambda path: path.lower().endswith(ends)


def _files(folder: str, counts: Callable[[str], bool]) -> Iterator[str]:
    for path, folders, names in os.walk(folder, followlinks=True):
        folders.sort()
        for name in sorted(names):
            if counts(os.path.join(path, name)):
                yield os.path.join(path, name)
