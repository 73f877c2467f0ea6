"""paddle.dataset.imikolov: sentences of the Penn Treebank."""

from refluid.data.datasets.imikolov import (
    MD5 as MD5,
    URL as URL,
    DataType as DataType,
    build_dict as build_dict,
    fetch as fetch,
    reader_creator as reader_creator,
    test as test,
    train as train,
    word_count as word_count,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
