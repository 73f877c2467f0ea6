"""A part of WMT 14, French to English, in numbers: (French, <s> + English, English + <e>)."""

from collections.abc import Callable, Iterator

from refluid.core.errors import DataFileError
from refluid.data.datasets import common

URL_TRAIN = "http://paddlemodels.bj.bcebos.com/wmt/wmt14.tgz"
MD5_TRAIN = "0791583d57d5beb693b9414c5b36798c"
START, END, UNK = "<s>", "<e>", "<unk>"
UNK_IDX = 2
_LONGEST = 80  # words; longer sentences are left out

Sample = tuple[list[int], list[int], list[int]]


def train(dict_size: int) -> Callable[[], Iterator[Sample]]:
    """A reader of the training pairs, with the first `dict_size` words of each language."""
    return reader_creator(_path(), "train/train", dict_size)


def test(dict_size: int) -> Callable[[], Iterator[Sample]]:
    """A reader of the test pairs, in the form of `train`."""
    return reader_creator(_path(), "test/test", dict_size)


def gen(dict_size: int) -> Callable[[], Iterator[Sample]]:
    """A reader of the pairs held out for generation, in the form of `train`."""
    return reader_creator(_path(), "gen/gen", dict_size)


def get_dict(dict_size: int, reverse: bool = True) -> tuple[dict, dict]:
    """The words of the numbers of French and of English; the numbers of the words if not `reverse`."""
    return dictionaries(_path(), dict_size, reverse)


def dictionaries(path: str, dict_size: int, reverse: bool) -> tuple[dict, dict]:
    """What `get_dict` gives, of an archive anywhere."""
    source, target = _dictionaries(path, dict_size)
    if reverse:
        return {i: word for word, i in source.items()}, {i: word for word, i in target.items()}
    return source, target


def fetch() -> None:
    """Download the official file into the cache folder."""
    common.download(URL_TRAIN, "wmt14", MD5_TRAIN)


def reader_creator(tar_file: str, file_name: str, dict_size: int) -> Callable[[], Iterator[Sample]]:
    """A reader of the pairs in the members of an archive whose names end in `file_name`."""

    def reader() -> Iterator[Sample]:
        source, target = _dictionaries(tar_file, dict_size)
        for _, content in common.members(tar_file, lambda name: name.endswith(file_name)):
            for line in content.decode("utf-8").splitlines():
                columns = line.strip().split("\t")
                if len(columns) != 2:
                    continue
                ours = [source.get(word, UNK_IDX) for word in (START, *columns[0].split(), END)]
                theirs = [target.get(word, UNK_IDX) for word in columns[1].split()]
                if len(ours) <= _LONGEST and len(theirs) <= _LONGEST:
                    yield ours, [target[START], *theirs], [*theirs, target[END]]

    return reader


def _path() -> str:
    return common.find(URL_TRAIN, "wmt14", MD5_TRAIN)


def _dictionaries(path: str, size: int) -> tuple[dict[str, int], dict[str, int]]:
    dictionaries: dict[str, dict[str, int]] = {}
    for name, content in common.members(path, lambda name: name.endswith(("src.dict", "trg.dict"))):
        words = content.decode("utf-8").splitlines()[:size]
        dictionaries[name[-8:]] = {word.strip(): i for i, word in enumerate(words)}
    if len(dictionaries) != 2:
        raise DataFileError(
            f"wmt14: {path} must hold src.dict and trg.dict, got {', '.join(dictionaries) or 'neither'}"
        )
    return dictionaries["src.dict"], dictionaries["trg.dict"]
