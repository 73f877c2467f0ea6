"""The Penn Treebank sentences of Mikolov's examples, as windows of n words or as whole sequences."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from refluid.core.errors import ArgumentError, DataFileError
from refluid.data.datasets import common

URL = "https://dataset.bj.bcebos.com/imikolov%2Fsimple-examples.tgz"
MD5 = "30177ea32e27c525793142b6bf2c8e2d"
TRAIN = "./simple-examples/data/ptb.train.txt"
TEST = "./simple-examples/data/ptb.valid.txt"


class DataType:
    """What a sample is: a tuple of n word numbers, or a sentence and the same shifted by one."""

    NGRAM = 1
    SEQ = 2


def word_count(f: Iterable[bytes], word_freq: dict | None = None) -> dict:
    """How often words occur in lines, '<s>' and '<e>' once a line; counted on top of `word_freq`."""
    counts: Any = Counter() if word_freq is None else word_freq
    for line in f:
        for word in (*line.strip().split(), "<s>", "<e>"):
            counts[word] = counts.get(word, 0) + 1
    return counts


def build_dict(min_word_freq: int = 50) -> dict[bytes | str, int]:
    """Numbers for the words that occur more than `min_word_freq` times, the most frequent first; '<unk>' comes last."""
    return dictionary(_path(), min_word_freq)


def train(word_idx: dict, n: int, data_type: int = DataType.NGRAM) -> Callable[[], Iterator[tuple]]:
    """A reader of the training sentences.

    Args:
        word_idx: what `build_dict` returns.
        n: the size of a window; for sequences the greatest length, no limit if not positive.
        data_type: DataType.NGRAM or DataType.SEQ.
    """
    return reader_creator(TRAIN, word_idx, n, data_type)


def test(word_idx: dict, n: int, data_type: int = DataType.NGRAM) -> Callable[[], Iterator[tuple]]:
    """A reader of the validation sentences, in the form of `train`."""
    return reader_creator(TEST, word_idx, n, data_type)


def reader_creator(filename: str, word_idx: dict, n: int, data_type: int) -> Callable[[], Iterator[tuple]]:
    """A reader of one file of the archive."""
    return sentences(None, filename, word_idx, n, data_type)


def dictionary(path: str, min_word_freq: int) -> dict[bytes | str, int]:
    """What `build_dict` gives, of an archive anywhere."""
    return common.numbered(word_count(_lines(path, TRAIN), word_count(_lines(path, TEST))), min_word_freq)


def sentences(path: str | None, filename: str, word_idx: dict, n: int, data_type: int) -> Callable[[], Iterator[tuple]]:
    """A reader of one file of an archive anywhere; of that in the cache if None."""
    if data_type not in (DataType.NGRAM, DataType.SEQ):
        raise ArgumentError(f"imikolov: data_type must be DataType.NGRAM or DataType.SEQ, got {data_type!r}")
    if data_type == DataType.NGRAM and n < 1:
        raise ArgumentError(f"imikolov: the size of a window must be at least 1, got {n}")

    def reader() -> Iterator[tuple]:
        unknown = word_idx["<unk>"]
        start, end = word_idx["<s>"], word_idx["<e>"]
        for line in _lines(path or _path(), filename):
            words = [word_idx.get(word, unknown) for word in line.strip().split()]
            if data_type == DataType.SEQ:
                if n <= 0 or len(words) + 1 <= n:
                    yield [start, *words], [*words, end]
                continue
            words = [start, *words, end]
            for i in range(n, len(words) + 1):
                yield tuple(words[i - n : i])

    return reader


def _path() -> str:
    return common.find(URL, "imikolov", MD5)


def _lines(path: str, name: str) -> list[bytes]:
    wanted = name.removeprefix("./")
    for _, content in common.members(path, lambda found: found.removeprefix("./") == wanted):
        return content.splitlines()
    raise DataFileError(f"imikolov: {path} has no {name}")


def fetch() -> None:
    """Download the official file into the cache folder."""
    common.download(URL, "imikolov", MD5)
