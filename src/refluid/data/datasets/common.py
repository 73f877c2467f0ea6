"""Where data sets live and how they get there."""

import glob
import hashlib
import os
import pickle
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

DATA_HOME = os.path.expanduser("~/.cache/paddle/dataset")
RETRIES = 3
TIMEOUT_SECONDS = 30
_CHUNK = 1 << 16


def must_mkdirs(path: str) -> None:
    """Make a folder and those above it, unless they exist."""
    os.makedirs(path, exist_ok=True)


def md5file(fname: str) -> str:
    """The MD5 sum of a file in hexadecimal digits."""
    digest = hashlib.md5(usedforsecurity=False)
    with open(fname, "rb") as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
    return digest.hexdigest()


def download(url: str, module_name: str, md5sum: str, save_name: str | None = None) -> str:
    """The path of a file of a data set, fetched from `url` unless it is there with the right MD5 sum.

    A file appears under its name only when it is whole and right.
    """
    folder = os.path.join(DATA_HOME, module_name)
    must_mkdirs(folder)
    path = os.path.join(folder, save_name or url.rsplit("/", 1)[-1])
    if os.path.exists(path) and md5file(path) == md5sum:
        return path
    problems = []
    for _ in range(RETRIES):
        try:
            _fetch(url, path, md5sum)
            return path
        except (OSError, ValueError) as problem:  # requests' errors are OSErrors
            problems.append(f"{type(problem).__name__}: {problem}")
    raise RuntimeError("\n  ".join([f"download: cannot get {url} in {RETRIES} attempts", *problems]))


def _fetch(url: str, path: str, md5sum: str) -> None:
    import requests  # 0.1 s that only a download should pay
    from tqdm import tqdm

    with requests.get(url, stream=True, timeout=TIMEOUT_SECONDS) as answer:
        answer.raise_for_status()
        total = int(answer.headers.get("content-length", 0)) or None
        handle, part = tempfile.mkstemp(dir=os.path.dirname(path), prefix=os.path.basename(path), suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file, tqdm(total=total, unit="B", unit_scale=True, desc=url) as bar:
                for piece in answer.iter_content(_CHUNK):
                    file.write(piece)
                    bar.update(len(piece))
            if md5file(part) != md5sum:
                raise ValueError(f"the MD5 sum is {md5file(part)}, expected {md5sum}")
            os.replace(part, path)
        finally:
            if os.path.exists(part):
                os.remove(part)


def split(
    reader: Callable[[], Any], line_count: int, suffix: str = "%05d.pickle", dumper: Callable = pickle.dump
) -> None:
    """Write the samples of a reader into files of `line_count` samples; the last file holds the rest.

    Args:
        reader: the reader to write.
        line_count: how many samples go into a file.
        suffix: the files' names, with the file's number; a folder in it must exist.
        dumper: a function that writes a list of samples into an open binary file.
    """
    if not callable(dumper):
        raise TypeError(f"split: dumper must be callable, got {type(dumper).__name__}")
    from refluid.data.batch import batch

    for number, samples in enumerate(batch(reader, line_count)()):
        with open(suffix % number, "wb") as file:
            dumper(samples, file)


def cluster_files_reader(
    files_pattern: str, trainer_count: int, trainer_id: int, loader: Callable = pickle.load
) -> Callable[[], Iterator[Any]]:
    """A reader of those files of `split` that are trainer `trainer_id`'s share.

    Args:
        files_pattern: the files, in the manner of `glob`.
        trainer_count: how many trainers share them.
        trainer_id: whose share, from 0.
        loader: a function that reads a list of samples from an open binary file.
    """
    if not callable(loader):
        raise TypeError(f"cluster_files_reader: loader must be callable, got {type(loader).__name__}")

    def read() -> Iterator[Any]:
        for path in sorted(glob.glob(files_pattern))[trainer_id::trainer_count]:
            with open(path, "rb") as file:
                yield from loader(file)

    return read
