"""Where data sets live and how they get there."""

import contextlib
import fcntl
import glob
import gzip
import hashlib
import os
import pickle
import tarfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from refluid.core.errors import ArgumentError, DataFileError
from refluid.core.progress import Progress

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

    A file appears under its name only when it is complete and its MD5 sum matches.
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
    raise RuntimeError("\n  ".join([f"download: cannot get {url} in {RETRIES} attempts", *dict.fromkeys(problems)]))


def find(url: str, module_name: str, md5sum: str, save_name: str | None = None) -> str:
    """The path of a file of a data set: the one in the cache folder as it is, else fetched.

    Whether a file in the cache is right shows when it is parsed: one that was compressed again is as good.
    """
    path = os.path.join(DATA_HOME, module_name, save_name or url.rsplit("/", 1)[-1])
    if os.path.exists(path):
        return path
    try:
        return download(url, module_name, md5sum, save_name)
    except RuntimeError as problem:
        raise RuntimeError(f"{problem}\nWithout a network: put the file of that address at {path}") from None


def _fetch(url: str, path: str, md5sum: str) -> None:
    """Fetch into `path`.part, from where it stopped if that is there, and rename it when it is whole and right."""
    part = path + ".part"
    with _locked(part) as file:
        if os.path.exists(path) and md5file(path) == md5sum:  # another process was faster
            os.remove(part)
            return
        _continue(url, file)
        digest = md5file(part)
        if digest != md5sum:
            os.remove(part)
            raise ValueError(f"the MD5 sum is {digest}, expected {md5sum}")
        os.replace(part, path)


@contextlib.contextmanager
def _locked(path: str) -> Iterator[BinaryIO]:
    """The file, opened for appending; other processes that want it wait."""
    while True:
        with open(path, "ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.path.exists(path) and os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                try:
                    yield file
                finally:
                    if os.path.exists(path) and not os.path.getsize(path):
                        os.remove(path)
                return  # else it was renamed while this process waited


def _continue(url: str, file: BinaryIO) -> None:
    import requests  # 0.1 s that only a download should pay

    have = file.seek(0, os.SEEK_END)
    wanted = {"Range": f"bytes={have}-"} if have else {}
    with requests.get(url, stream=True, timeout=TIMEOUT_SECONDS, headers=wanted) as answer:
        if have and answer.status_code != 206:  # the server starts at the beginning, or has less than we have
            file.truncate(0)
            have = 0
        if answer.status_code == 416:
            raise ValueError("the server has no more of the file than was here")
        answer.raise_for_status()
        rest = int(answer.headers.get("content-length", 0))
        with Progress(url, have + rest if rest else None, have, "B") as progress:
            for piece in answer.iter_content(_CHUNK):
                file.write(piece)
                progress.add(len(piece))
    file.flush()


def members(path: str, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """(name, content) of the files in a tar archive whose names are wanted, in the order of the archive."""
    try:
        with tarfile.open(path) as tar:
            for member in tar:
                if member.isfile() and wanted(member.name):
                    file = tar.extractfile(member)
                    assert file is not None
                    yield member.name, file.read()
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise DataFileError(f"{path} is damaged ({problem}); remove it to get it anew") from problem


def numbered(counts: dict[Any, int], more_than: int) -> dict[Any, int]:
    """Ids of what was counted more often, the most frequent first, equals by name; '<unk>' comes last."""

    def order(word: str | bytes) -> tuple[int, str]:
        return -counts[word], word.decode("utf-8", "surrogateescape") if isinstance(word, bytes) else word

    words = sorted((word for word, count in counts.items() if count > more_than and word != "<unk>"), key=order)
    return {**{word: i for i, word in enumerate(words)}, "<unk>": len(words)}


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
        raise ArgumentError(f"split: dumper must be callable, got {type(dumper).__name__}")
    from refluid.data.batch import batch

    for number, samples in enumerate(batch(reader, line_count)()):
        with open(suffix % number, "wb") as file:
            dumper(samples, file)


def cluster_files_reader(
    files_pattern: str, trainer_count: int, trainer_id: int, loader: Callable = pickle.load
) -> Callable[[], Iterator[Any]]:
    """A reader of those files of `split` that are trainer `trainer_id`'s shard.

    Args:
        files_pattern: the files, in the manner of `glob`.
        trainer_count: how many trainers share them.
        trainer_id: the index of the trainer, from 0.
        loader: a function that reads a list of samples from an open binary file.
    """
    if not callable(loader):
        raise ArgumentError(f"cluster_files_reader: loader must be callable, got {type(loader).__name__}")

    def read() -> Iterator[Any]:
        for path in sorted(glob.glob(files_pattern))[trainer_id::trainer_count]:
            with open(path, "rb") as file:
                yield from loader(file)

    return read
