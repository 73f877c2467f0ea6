"""CIFAR-10 and CIFAR-100 by index."""

from __future__ import annotations

from collections.abc import Callable

from refluid.data.datasets import cifar
from refluid.hapi.datasets.sampled import LabelledImages, Transform, check_files, check_mode


class Cifar10(LabelledImages):
    """Tiny images of ten kinds: (float32 [3, 32, 32] in [0, 1], int64 [1]).

    Args:
        data_file: the official archive; found or fetched as `paddle.dataset.cifar` does where it is not given.
        mode: "train" or "test".
        transform: a function of the image.
        download: whether the file may be found without being given.
    """

    _members = {"train": "data_batch", "test": "test_batch"}
    _readers: dict[str, Callable[[], cifar.Reader]] = {"train": cifar.train10, "test": cifar.test10}

    def __init__(
        self, data_file: str | None = None, mode: str = "train", transform: Transform = None, download: bool = True
    ):
        self.mode = check_mode(type(self).__name__, mode)
        if check_files(type(self).__name__, download, data_file=data_file):
            reader = cifar.reader_creator(str(data_file), self._members[self.mode])
        else:
            reader = self._readers[self.mode]()
        images, labels = zip(*reader())
        super().__init__([image.reshape(3, 32, 32) for image in images], labels, transform)


class Cifar100(Cifar10):
    """Tiny images of a hundred kinds, in the form of Cifar10."""

    _members = {"train": "train", "test": "test"}
    _readers: dict[str, Callable[[], cifar.Reader]] = {"train": cifar.train100, "test": cifar.test100}
