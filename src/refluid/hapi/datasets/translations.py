"""Sentences in two languages by index."""

from __future__ import annotations

from refluid.data.datasets import wmt14, wmt16
from refluid.hapi.datasets.sampled import Samples, check_mode, check_size, given_or_found


class WMT14(Samples):
    """French and English in numbers: (French, <s> + English, English + <e>), all int64 [words].

    Args:
        data_file: the official archive; found or fetched as `paddle.dataset.wmt14` does where it is not given.
        mode: "train", "test" or "gen".
        dict_size: how many words of each language have numbers.
        download: whether the file may be found without being given.
    """

    def __init__(self, data_file: str | None = None, mode: str = "train", dict_size: int = -1, download: bool = True):
        check_size("WMT14", dict_size=dict_size)
        self.mode, self.dict_size = check_mode("WMT14", mode, ("train", "test", "gen")), dict_size
        self._path = given_or_found("WMT14", download, data_file, wmt14.URL_TRAIN, wmt14.MD5_TRAIN)
        super().__init__(wmt14.reader_creator(self._path, f"{self.mode}/{self.mode}", dict_size)())

    def get_dict(self, reverse: bool = False) -> tuple[dict, dict]:
        """Numbers of the words of French and of English; the words of the numbers if `reverse`."""
        return wmt14.dictionaries(self._path, self.dict_size, reverse)


class WMT16(Samples):
    """English and German in numbers: (<s> + one + <e>, <s> + other, other + <e>), all int64 [words].

    Args:
        data_file: the official archive; found or fetched as `paddle.dataset.wmt16` does where it is not given.
        mode: "train", "test" or "val".
        src_dict_size, trg_dict_size: how many words of each language have numbers.
        lang: the language that comes first, "en" or "de".
        download: whether the file may be found without being given.
    """

    def __init__(
        self,
        data_file: str | None = None,
        mode: str = "train",
        src_dict_size: int = -1,
        trg_dict_size: int = -1,
        lang: str = "en",
        download: bool = True,
    ):
        check_size("WMT16", src_dict_size=src_dict_size, trg_dict_size=trg_dict_size)
        self.mode, self.lang = check_mode("WMT16", mode, ("train", "test", "val")), lang
        self._sizes = src_dict_size, trg_dict_size
        self._path = given_or_found("WMT16", download, data_file, wmt16.DATA_URL, wmt16.DATA_MD5)
        super().__init__(wmt16.reader_creator(self._path, f"wmt16/{self.mode}", *self._sizes, lang)())

    def get_dict(self, lang: str, reverse: bool = False) -> dict:
        """Numbers of the words of a language; the words of the numbers if `reverse`."""
        return wmt16.dictionary(self._path, lang, self._sizes[0 if lang == self.lang else 1], reverse)
