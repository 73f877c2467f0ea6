"""Runs programs of `programs/` as a user would: in a folder of their own, on a few real digits."""

import gzip
import itertools
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from refluid.data.datasets import common

collect_ignore = ["programs"]


class Runner:
    """Runs programs one after the other in one namespace and keeps what they print."""

    programs = Path(__file__).parent / "programs"

    def __init__(self, folder: Path, capsys: Any):
        self.names: dict[str, Any] = {"__name__": "__main__", "__file__": str(folder / "train.py")}
        self.capsys = capsys

    def text(self, source: str, filename: str = "<prelude>") -> str:
        """Run this text; returns what it printed."""
        self.capsys.readouterr()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # `batch_id is not 0`
            warnings.simplefilter("ignore", DeprecationWarning)  # `float(loss.numpy())`
            warnings.filterwarnings("ignore", "CUDAPlace")  # these machines have none
            exec(compile(source, filename, "exec"), self.names)
        return self.capsys.readouterr().out

    def __call__(self, *programs: str) -> str:
        """Run these files; returns what the last one printed."""
        printed = ""
        for name in programs:
            path = self.programs / name
            printed = self.text(path.read_text(encoding="utf-8"), str(path))
        return printed

    def __getitem__(self, name: str) -> Any:
        return self.names[name]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    return Runner(tmp_path, capsys)


@pytest.fixture
def digits(tmp_path, monkeypatch):
    """digits(train, test) makes paddle.dataset.mnist as small as this, in files of the official form."""

    def shrink(train: int, test: int = 0) -> None:
        parts = {"train": (paddle.dataset.mnist.train, train), "t10k": (paddle.dataset.mnist.test, test)}
        samples = {name: list(itertools.islice(reader()(), count)) for name, (reader, count) in parts.items()}
        (tmp_path / "home" / "mnist").mkdir(parents=True)
        for name, found in samples.items():
            pixels = np.array([(image + 1) / 2 * 255 for image, _ in found]).round().astype(np.uint8)
            labels = np.array([label for _, label in found], np.uint8)
            _write(tmp_path / f"home/mnist/{name}-images-idx3-ubyte.gz", (2051, len(found), 28, 28), pixels)
            _write(tmp_path / f"home/mnist/{name}-labels-idx1-ubyte.gz", (2049, len(found)), labels)
        monkeypatch.setattr(common, "DATA_HOME", str(tmp_path / "home"))

    return shrink


def _write(path: Path, head: tuple[int, ...], content: np.ndarray) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(struct.pack(f">{len(head)}I", *head) + content.tobytes())
