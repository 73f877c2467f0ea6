"""One pass over 60,000 digits in files of the official form: read, shuffled and batched as tutorials do."""

import atexit
import gzip
import os
import shutil
import struct
import tempfile

import numpy as np

import paddle

DIGITS = 60000


def one_pass():
    images, labels = written()

    def step():
        digits = paddle.dataset.mnist.reader_creator(images, labels, 100)  # what mnist.train() gives to the decorators
        reader = paddle.batch(paddle.reader.shuffle(digits, 500), 64)
        return [len(batch) for batch in reader()]

    return step


def written():
    """The paths of two idx files; digits are mostly background, as real ones are."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    rng = np.random.RandomState(0)
    pixels = rng.randint(0, 256, (DIGITS, 28, 28)) * (rng.uniform(0, 1, (DIGITS, 28, 28)) < 0.2)
    labels = rng.randint(0, 10, DIGITS)
    return (
        idx_file(os.path.join(folder, "images.gz"), 2051, pixels),
        idx_file(os.path.join(folder, "labels.gz"), 2049, labels),
    )


def idx_file(path, magic, content):
    with gzip.open(path, "wb", compresslevel=1) as file:
        head = (magic,) + content.shape
        file.write(struct.pack(f">{len(head)}I", *head) + content.astype("uint8").tobytes())
    return path
