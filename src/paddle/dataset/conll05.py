"""paddle.dataset.conll05: semantic roles."""

from refluid.data.datasets.conll05 import (
    DATA_MD5 as DATA_MD5,
    DATA_URL as DATA_URL,
    EMB_MD5 as EMB_MD5,
    EMB_URL as EMB_URL,
    TRGDICT_MD5 as TRGDICT_MD5,
    TRGDICT_URL as TRGDICT_URL,
    UNK_IDX as UNK_IDX,
    VERBDICT_MD5 as VERBDICT_MD5,
    VERBDICT_URL as VERBDICT_URL,
    WORDDICT_MD5 as WORDDICT_MD5,
    WORDDICT_URL as WORDDICT_URL,
    corpus_reader as corpus_reader,
    fetch as fetch,
    get_dict as get_dict,
    get_embedding as get_embedding,
    load_dict as load_dict,
    load_label_dict as load_label_dict,
    reader_creator as reader_creator,
    test as test,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
