"""Who does what to whom, by index."""

from __future__ import annotations

from typing import Any

from refluid.data.datasets import common, conll05
from refluid.hapi.datasets.sampled import Samples, check_files

_FILES = (
    (conll05.DATA_URL, conll05.DATA_MD5),
    (conll05.WORDDICT_URL, conll05.WORDDICT_MD5),
    (conll05.VERBDICT_URL, conll05.VERBDICT_MD5),
    (conll05.TRGDICT_URL, conll05.TRGDICT_MD5),
)


class Conll05st(Samples):
    """The test set of CoNLL 2005: nine int64 [words] per verb: words, five words around the verb, verb, marks, labels.

    Args:
        data_file, word_dict_file, verb_dict_file, target_dict_file: the official files; found or fetched as
            `paddle.dataset.conll05` does where they are not given.
        emb_file: word vectors, whose path `get_embedding` gives.
        download: whether files may be found without being given.
    """

    def __init__(
        self,
        data_file: str | None = None,
        word_dict_file: str | None = None,
        verb_dict_file: str | None = None,
        target_dict_file: str | None = None,
        emb_file: str | None = None,
        download: bool = True,
    ):
        files: list[Any] = [data_file, word_dict_file, verb_dict_file, target_dict_file]
        if not check_files(
            "Conll05st", download, data_file=data_file, word_dict_file=word_dict_file, verb_dict_file=verb_dict_file,
            target_dict_file=target_dict_file,
        ):  # fmt: skip
            files = [common.find(url, "conll05st", md5sum) for url, md5sum in _FILES]
        archive, words, verbs, labels = files
        self.emb_file = emb_file
        self.word_dict, self.predicate_dict = conll05.load_dict(words), conll05.load_dict(verbs)
        self.label_dict = conll05.load_label_dict(labels)
        sentences = conll05.corpus_reader(archive, conll05.WORDS, conll05.PROPS)
        samples = conll05.reader_creator(sentences, self.word_dict, self.predicate_dict, self.label_dict)()
        # A verb that the dictionary does not know has no number in Fluid's reader; an array needs one.
        super().__init__(
            [[conll05.UNK_IDX if one is None else one for one in field] for field in sample] for sample in samples
        )

    def get_dict(self) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
        """Numbers of words, of verbs and of labels."""
        return self.word_dict, self.predicate_dict, self.label_dict

    def get_embedding(self) -> str:
        """The path of the file of word vectors."""
        return conll05.get_embedding() if self.emb_file is None else self.emb_file
