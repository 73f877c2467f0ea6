"""paddle.dataset.imdb: movie reviews."""

from refluid.data.datasets.imdb import (
    MD5 as MD5,
    URL as URL,
    build_dict as build_dict,
    fetch as fetch,
    reader_creator as reader_creator,
    test as test,
    tokenize as tokenize,
    train as train,
    word_dict as word_dict,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
