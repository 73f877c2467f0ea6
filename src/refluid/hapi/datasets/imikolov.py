"""Sentences of the Penn Treebank by index."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.data.datasets import imikolov
from refluid.hapi.datasets.sampled import Samples, check_mode, given_or_found

_TYPES = {"NGRAM": imikolov.DataType.NGRAM, "SEQ": imikolov.DataType.SEQ}
_FILES = {"train": imikolov.TRAIN, "test": imikolov.TEST}


class Imikolov(Samples):
    """Numbers of words: `window_size` of them, int64 each; or a sentence and the same shifted by one, int64 [words].

    Args:
        data_file: the official archive; found or fetched as `paddle.dataset.imikolov` does where it is not given.
        data_type: "NGRAM" or "SEQ".
        window_size: the size of a window; for sequences the greatest length, no limit if not positive.
        mode: "train" or "test".
        min_word_freq: words that occur as often or more rarely have one number, that of '<unk>'.
        download: whether the file may be found without being given.
    """

    def __init__(
        self,
        data_file: str | None = None,
        data_type: str = "NGRAM",
        window_size: int = -1,
        mode: str = "train",
        min_word_freq: int = 50,
        download: bool = True,
    ):
        kind = _TYPES.get(str(data_type).upper())
        if kind is None:
            raise ArgumentError(f"Imikolov: data_type must be 'NGRAM' or 'SEQ', got {data_type!r}")
        if kind == imikolov.DataType.NGRAM and window_size < 1:
            raise ArgumentError(f"Imikolov: window_size must be at least 1 for NGRAM, got {window_size}")
        self.mode = check_mode("Imikolov", mode)
        path = given_or_found("Imikolov", download, data_file, imikolov.URL, imikolov.MD5)
        self.word_idx = imikolov.dictionary(path, min_word_freq)
        super().__init__(imikolov.sentences(path, _FILES[self.mode], self.word_idx, window_size, kind)())
