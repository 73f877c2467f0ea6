"""The movie reviews of Pang and Lee, as NLTK has them: word numbers, and 0 for a bad one or 1 for a good one.

The archive is read as it is; NLTK is not needed. Words are split as NLTK splits them for this corpus.
"""

import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain

from refluid.data.datasets import common

URL = "https://corpora.bj.bcebos.com/movie_reviews%2Fmovie_reviews.zip"
MD5 = "155de2b77c6834dd8eea7cbe88e93acb"
NUM_TRAINING_INSTANCES = 1600
NUM_TOTAL_INSTANCES = 2000
_WORD = re.compile(r"\w+|[^\w\s]+")

Sample = tuple[list[int], int]


def get_word_dict() -> list[tuple[str, int]]:
    """(word, number) for every word, the most frequent first."""
    return list(_numbers(common.DATA_HOME).items())


def train() -> Callable[[], Iterator[Sample]]:
    """A reader of the first 1,600 reviews, bad and good in turn: (list of word numbers, 0 or 1)."""
    return reader_creator(load_sentiment_data()[:NUM_TRAINING_INSTANCES])


def test() -> Callable[[], Iterator[Sample]]:
    """A reader of the other 400."""
    return reader_creator(load_sentiment_data()[NUM_TRAINING_INSTANCES:])


def sort_files() -> list[str]:
    """The names of the reviews, bad and good in turn."""
    names = sorted(_reviews(common.DATA_HOME))
    bad, good = ([name for name in names if name.startswith(kind)] for kind in ("neg/", "pos/"))
    return list(chain.from_iterable(zip(bad, good, strict=True)))


def load_sentiment_data() -> list[Sample]:
    """All reviews as (list of word numbers, 0 or 1)."""
    reviews, numbers = _reviews(common.DATA_HOME), _numbers(common.DATA_HOME)
    return [([numbers[word] for word in reviews[name]], int(name.startswith("pos/"))) for name in sort_files()]


def reader_creator(data: list[Sample]) -> Callable[[], Iterator[Sample]]:
    def reader() -> Iterator[Sample]:
        yield from data

    return reader


def fetch() -> None:
    """Download the official file into the cache folder."""
    common.download(URL, "corpora", MD5, "movie_reviews.zip")


@cache
def _reviews(home: str) -> dict[str, list[str]]:
    """The words, in lower case, of every review by its name ('neg/cv000_29416.txt')."""
    path = common.find(URL, "corpora", MD5, "movie_reviews.zip")
    with zipfile.ZipFile(path) as archive:
        return {
            name.removeprefix("movie_reviews/"): _WORD.findall(archive.read(name).decode("utf-8", "replace").lower())
            for name in archive.namelist()
            if re.match(r"movie_reviews/(neg|pos)/.*\.txt$", name)
        }


@cache
def _numbers(home: str) -> dict[str, int]:
    counts = Counter(chain.from_iterable(_reviews(home).values()))
    return {word: i for i, (word, _) in enumerate(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))}
