"""Multi30K of WMT 16, English and German, in numbers: (source, <s> + target, target + <e>).

Dictionaries are made from the training pairs when they are first asked for, and kept beside the archive.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator

from refluid.core.errors import ArgumentError, DataFileError
from refluid.data.datasets import common

DATA_URL = "http://paddlemodels.bj.bcebos.com/wmt/wmt16.tar.gz"
DATA_MD5 = "0c38be43600334966403524a40dcd81e"
TOTAL_EN_WORDS = 11250
TOTAL_DE_WORDS = 19220
START_MARK, END_MARK, UNK_MARK = "<s>", "<e>", "<unk>"
_LANGUAGES = ("en", "de")  # the columns of the files
_TOTAL = {"en": TOTAL_EN_WORDS, "de": TOTAL_DE_WORDS}

Sample = tuple[list[int], list[int], list[int]]


def train(src_dict_size: int, trg_dict_size: int, src_lang: str = "en") -> Callable[[], Iterator[Sample]]:
    """A reader of the training pairs.

    Args:
        src_dict_size, trg_dict_size: how many words of each language have numbers, at most all there are.
        src_lang: "en" for English to German, "de" for German to English.
    """
    return reader_creator(_path(), "wmt16/train", src_dict_size, trg_dict_size, src_lang)


def test(src_dict_size: int, trg_dict_size: int, src_lang: str = "en") -> Callable[[], Iterator[Sample]]:
    """A reader of the test pairs, in the form of `train`."""
    return reader_creator(_path(), "wmt16/test", src_dict_size, trg_dict_size, src_lang)


def validation(src_dict_size: int, trg_dict_size: int, src_lang: str = "en") -> Callable[[], Iterator[Sample]]:
    """A reader of the validation pairs, in the form of `train`."""
    return reader_creator(_path(), "wmt16/val", src_dict_size, trg_dict_size, src_lang)


def get_dict(lang: str, dict_size: int, reverse: bool = False) -> dict:
    """The numbers of the words of a language; the words of the numbers if `reverse`."""
    return dictionary(_path(), lang, dict_size, reverse)


def dictionary(path: str, lang: str, dict_size: int, reverse: bool = False) -> dict:
    """What `get_dict` gives, of an archive anywhere."""
    words = _words(path, min(dict_size, _TOTAL[_known(lang)]), lang)
    return dict(enumerate(words)) if reverse else {word: i for i, word in enumerate(words)}


def fetch() -> None:
    """Download the official file into the cache folder."""
    common.download(DATA_URL, "wmt16", DATA_MD5, "wmt16.tar.gz")


def reader_creator(
    tar_file: str, file_name: str, src_dict_size: int, trg_dict_size: int, src_lang: str
) -> Callable[[], Iterator[Sample]]:
    """A reader of the pairs of one file of the archive."""
    other = _LANGUAGES[1 - _LANGUAGES.index(_known(src_lang))]
    column = _LANGUAGES.index(src_lang)

    def reader() -> Iterator[Sample]:
        source = dictionary(tar_file, src_lang, src_dict_size)
        target = dictionary(tar_file, other, trg_dict_size)
        start, end, unknown = (source[mark] for mark in (START_MARK, END_MARK, UNK_MARK))
        for pair in _pairs(tar_file, file_name):
            ours = [source.get(word, unknown) for word in pair[column].split()]
            theirs = [target.get(word, unknown) for word in pair[1 - column].split()]
            yield [start, *ours, end], [start, *theirs], [*theirs, end]

    return reader


def _known(lang: str) -> str:
    if lang not in _LANGUAGES:
        raise ArgumentError(f"wmt16: the language must be 'en' or 'de', got {lang!r}")
    return lang


def _path() -> str:
    return common.find(DATA_URL, "wmt16", DATA_MD5, "wmt16.tar.gz")


def _pairs(path: str, name: str) -> Iterator[list[str]]:
    for _, content in common.members(path, lambda found: found.removeprefix("./") == name):
        for line in content.decode("utf-8").splitlines():
            columns = line.strip().split("\t")
            if len(columns) == 2:
                yield columns
        return
    raise DataFileError(f"wmt16: {path} has no {name}")


def _words(path: str, size: int, lang: str) -> list[str]:
    """The marks and the most frequent words, `size` in all; those of the archive in the cache folder are kept there."""
    home = os.path.join(common.DATA_HOME, "wmt16")
    if os.path.dirname(os.path.abspath(path)) != os.path.abspath(home):
        return _counted(path, size, lang)
    kept = os.path.join(home, f"{lang}_{size}.dict")
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            words = file.read().splitlines()
        if len(words) <= size and words[:3] == [START_MARK, END_MARK, UNK_MARK]:
            return words
    words = _counted(path, size, lang)
    handle, part = tempfile.mkstemp(dir=os.path.dirname(kept), suffix=".part")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write("\n".join(words) + "\n")
    os.replace(part, kept)
    return words


def _counted(path: str, size: int, lang: str) -> list[str]:
    counts: Counter[str] = Counter()
    for pair in _pairs(path, "wmt16/train"):
        counts.update(pair[_LANGUAGES.index(lang)].split())
    frequent = [word for word, _ in counts.most_common()]  # equals in the order in which they are met
    return [START_MARK, END_MARK, UNK_MARK, *frequent][:size]
