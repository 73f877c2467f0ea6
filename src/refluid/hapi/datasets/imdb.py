"""Movie reviews by index."""

from __future__ import annotations

from refluid.data.datasets import imdb
from refluid.hapi.datasets.sampled import Samples, check_mode, given_or_found


class Imdb(Samples):
    """Movie reviews: (int64 [words], int64 [1]: 0 for a good one, 1 for a bad one).

    Reviews have lengths of their own, so that batches need a loader whose `collate_fn` pads or truncates them.

    Args:
        data_file: the official archive; found or fetched as `paddle.dataset.imdb` does where it is not given.
        mode: "train" or "test".
        cutoff: words that occur as often or more rarely have one number, that of '<unk>'.
        download: whether the file may be found without being given.
    """

    def __init__(self, data_file: str | None = None, mode: str = "train", cutoff: int = 150, download: bool = True):
        self.mode = check_mode("Imdb", mode)
        path = given_or_found("Imdb", download, data_file, imdb.URL, imdb.MD5)
        self.word_idx = imdb.dictionary(path, imdb.LABELLED, cutoff)
        reviews = imdb.reviews(path, imdb.patterns(self.mode), self.word_idx)
        super().__init__((words, [label]) for words, label in reviews)
