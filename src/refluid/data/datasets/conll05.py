"""The test set of CoNLL 2005, semantic roles: which words of a sentence have which role for a verb.

The training set is not free; Fluid trains on the test set, and so does this.
"""

import gzip
from collections.abc import Callable, Iterator
from itertools import zip_longest

from refluid.core.errors import DataFileError
from refluid.data.datasets import common

DATA_URL = "http://paddlemodels.bj.bcebos.com/conll05st/conll05st-tests.tar.gz"
DATA_MD5 = "387719152ae52d60422c016e92a742fc"
WORDDICT_URL = "http://paddlemodels.bj.bcebos.com/conll05st%2FwordDict.txt"
WORDDICT_MD5 = "ea7fb7d4c75cc6254716f0177a506baa"
VERBDICT_URL = "http://paddlemodels.bj.bcebos.com/conll05st%2FverbDict.txt"
VERBDICT_MD5 = "0d2977293bbb6cbefab5b0f97db1e77c"
TRGDICT_URL = "http://paddlemodels.bj.bcebos.com/conll05st%2FtargetDict.txt"
TRGDICT_MD5 = "d8c7f03ceb5fc2e5a0fa7503a4353751"
EMB_URL = "http://paddlemodels.bj.bcebos.com/conll05st%2Femb"
EMB_MD5 = "bf436eb0faa1f6f9103017f8be57cdb7"
UNK_IDX = 0
WORDS = "conll05st-release/test.wsj/words/test.wsj.words.gz"
PROPS = "conll05st-release/test.wsj/props/test.wsj.props.gz"
_AROUND = range(-2, 3)  # the words around the verb that a sample repeats

Sentence = tuple[list[str], str, list[str]]


def test() -> Callable[[], Iterator[tuple]]:
    """A reader of nine lists per verb, one entry a word: words, five words around the verb, verb, marks, labels."""
    words, verbs, labels = get_dict()
    path = common.find(DATA_URL, "conll05st", DATA_MD5)
    return reader_creator(corpus_reader(path, WORDS, PROPS), words, verbs, labels)


def get_dict() -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Numbers of words, of verbs and of labels."""
    return (
        load_dict(common.find(WORDDICT_URL, "conll05st", WORDDICT_MD5)),
        load_dict(common.find(VERBDICT_URL, "conll05st", VERBDICT_MD5)),
        load_label_dict(common.find(TRGDICT_URL, "conll05st", TRGDICT_MD5)),
    )


def get_embedding() -> str:
    """The path of a file of word vectors that were trained on Wikipedia."""
    return common.find(EMB_URL, "conll05st", EMB_MD5)


def load_dict(filename: str) -> dict[str, int]:
    """Numbers of the lines of a file."""
    with open(filename, encoding="utf-8") as file:
        return {line.strip(): number for number, line in enumerate(file)}


def load_label_dict(filename: str) -> dict[str, int]:
    """Numbers of labels: B- and I- of every tag of the file in its order, then O."""
    with open(filename, encoding="utf-8") as file:
        tags = dict.fromkeys(line.strip()[2:] for line in file if line.startswith(("B-", "I-")))
    labels = [prefix + tag for tag in tags for prefix in ("B-", "I-")]
    return {label: number for number, label in enumerate([*labels, "O"])}


def corpus_reader(data_path: str, words_name: str, props_name: str) -> Callable[[], Iterator[Sentence]]:
    """A reader of (words, verb, labels in the B-I-O form), one for every verb of a sentence."""

    def reader() -> Iterator[Sentence]:
        files = dict(common.members(data_path, lambda name: name in (words_name, props_name)))
        for name in (words_name, props_name):
            if name not in files:
                raise DataFileError(f"conll05: {data_path} has no {name}")
        sentence: list[str] = []
        rows: list[list[str]] = []
        lines = [gzip.decompress(files[name]).decode("utf-8").splitlines() for name in (words_name, props_name)]
        for word, props in zip_longest(*lines, fillvalue=""):
            if word.strip():
                sentence.append(word.strip())
                rows.append(props.split())
            elif sentence:
                yield from _per_verb(sentence, rows)
                sentence, rows = [], []
        if sentence:
            yield from _per_verb(sentence, rows)

    return reader


def _per_verb(sentence: list[str], rows: list[list[str]]) -> Iterator[Sentence]:
    verbs, *columns = (list(column) for column in zip(*rows, strict=True))
    named = [verb for verb in verbs if verb != "-"]
    for verb, column in zip(named, columns, strict=True):
        yield sentence, verb, _labels(column)


def _labels(column: list[str]) -> list[str]:
    """From brackets, '(A0*' '*' '*)', to labels, 'B-A0' 'I-A0' 'I-A0'."""
    labels, inside = [], ""
    for entry in column:
        if entry.startswith("("):
            inside = entry[1 : entry.index("*")]
            labels.append(f"B-{inside}")
        else:
            labels.append(f"I-{inside}" if inside else "O")
        if entry.endswith(")"):
            inside = ""
    return labels


def reader_creator(
    corpus_reader: Callable[[], Iterator[Sentence]],
    word_dict: dict[str, int],
    predicate_dict: dict[str, int],
    label_dict: dict[str, int],
) -> Callable[[], Iterator[tuple]]:
    """A reader of ids instead of words, verbs and labels."""

    def reader() -> Iterator[tuple]:
        for words, verb, labels in corpus_reader():
            count, verb_index = len(words), labels.index("B-V")
            padded = {**{-2: "bos", -1: "bos"}, **dict(enumerate(words)), count: "eos", count + 1: "eos"}
            around = [padded[verb_index + i] for i in _AROUND]
            marks = [int(abs(i - verb_index) <= _AROUND[-1]) for i in range(count)]
            yield (
                [word_dict.get(word, UNK_IDX) for word in words],
                *([word_dict.get(word, UNK_IDX)] * count for word in around),
                [predicate_dict.get(verb)] * count,
                marks,
                [label_dict[label] for label in labels],
            )

    return reader


def fetch() -> None:
    """Download the official files into the cache folder."""
    for url, md5sum in (
        (WORDDICT_URL, WORDDICT_MD5),
        (VERBDICT_URL, VERBDICT_MD5),
        (TRGDICT_URL, TRGDICT_MD5),
        (EMB_URL, EMB_MD5),
        (DATA_URL, DATA_MD5),
    ):
        common.download(url, "conll05st", md5sum)
