"""paddle.dataset.flowers: 102 kinds of flowers."""

from refluid.data.datasets.flowers import (
    DATA_MD5 as DATA_MD5,
    DATA_URL as DATA_URL,
    LABEL_MD5 as LABEL_MD5,
    LABEL_URL as LABEL_URL,
    SETID_MD5 as SETID_MD5,
    SETID_URL as SETID_URL,
    TEST_FLAG as TEST_FLAG,
    TRAIN_FLAG as TRAIN_FLAG,
    VALID_FLAG as VALID_FLAG,
    default_mapper as default_mapper,
    fetch as fetch,
    reader_creator as reader_creator,
    test as test,
    test_mapper as test_mapper,
    train as train,
    train_mapper as train_mapper,
    valid as valid,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
