"""The movie reviews of Maas et al.: the numbers of a review's words, and 0 for a good one or 1 for a bad one."""

import re
import string
from collections import Counter
from collections.abc import Callable, Iterator
from re import Pattern

from refluid.data.datasets import common

URL = "https://dataset.bj.bcebos.com/imdb%2FaclImdb_v1.tar.gz"
MD5 = "7c2ac02c03563afcf9b574c7e56c153a"
LABELLED = re.compile(r"aclImdb/((train)|(test))/((pos)|(neg))/.*\.txt$")
_PUNCTUATION = string.punctuation.encode("ascii")

Reader = Callable[[], Iterator[tuple[list[int], int]]]


def tokenize(pattern: Pattern[str]) -> Iterator[list[bytes]]:
    """The words, in lower case and without punctuation, of each file of the archive that matches."""
    return _words(_path(), pattern)


def build_dict(pattern: Pattern[str], cutoff: int) -> dict[bytes | str, int]:
    """Numbers for the words that occur more than `cutoff` times, the most frequent first; '<unk>' comes last."""
    return dictionary(_path(), pattern, cutoff)


def word_dict() -> dict[bytes | str, int]:
    """The words that occur more than 150 times in all labelled reviews."""
    return build_dict(LABELLED, 150)


def train(word_idx: dict) -> Reader:
    """A reader of the training reviews: (list of word numbers, 0 for good or 1 for bad)."""
    return reader_creator(*patterns("train"), word_idx)


def test(word_idx: dict) -> Reader:
    """A reader of the test reviews, in the form of `train`."""
    return reader_creator(*patterns("test"), word_idx)


def reader_creator(pos_pattern: Pattern[str], neg_pattern: Pattern[str], word_idx: dict) -> Reader:
    """A reader of the files that match one pattern, then of those that match the other. They are read now."""
    samples = reviews(_path(), (pos_pattern, neg_pattern), word_idx)

    def reader() -> Iterator[tuple[list[int], int]]:
        yield from samples

    return reader


def patterns(mode: str) -> tuple[Pattern[str], Pattern[str]]:
    """Which files are good reviews, and which are bad ones, of "train" or "test"."""
    return re.compile(rf"aclImdb/{mode}/pos/.*\.txt$"), re.compile(rf"aclImdb/{mode}/neg/.*\.txt$")


def dictionary(path: str, pattern: Pattern[str], cutoff: int) -> dict[bytes | str, int]:
    """What `build_dict` gives, of an archive anywhere."""
    counts: Counter[bytes] = Counter()
    for words in _words(path, pattern):
        counts.update(words)
    return common.numbered(counts, cutoff)


def reviews(path: str, kinds: tuple[Pattern[str], Pattern[str]], word_idx: dict) -> list[tuple[list[int], int]]:
    """(word numbers, which of the kinds) of the files of an archive."""
    unknown = word_idx["<unk>"]
    return [
        ([word_idx.get(word, unknown) for word in words], label)
        for label, pattern in enumerate(kinds)
        for words in _words(path, pattern)
    ]


def _path() -> str:
    return common.find(URL, "imdb", MD5)


def _words(path: str, pattern: Pattern[str]) -> Iterator[list[bytes]]:
    for _, content in common.members(path, lambda name: bool(pattern.match(name))):
        yield content.rstrip(b"\n\r").translate(None, _PUNCTUATION).lower().split()


def fetch() -> None:
    """Download the official file into the cache folder."""
    common.download(URL, "imdb", MD5)
