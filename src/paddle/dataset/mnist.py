"""paddle.dataset.mnist: handwritten digits."""

from refluid.data.datasets.mnist import (
    TEST_IMAGE_MD5 as TEST_IMAGE_MD5,
    TEST_IMAGE_URL as TEST_IMAGE_URL,
    TEST_LABEL_MD5 as TEST_LABEL_MD5,
    TEST_LABEL_URL as TEST_LABEL_URL,
    TRAIN_IMAGE_MD5 as TRAIN_IMAGE_MD5,
    TRAIN_IMAGE_URL as TRAIN_IMAGE_URL,
    TRAIN_LABEL_MD5 as TRAIN_LABEL_MD5,
    TRAIN_LABEL_URL as TRAIN_LABEL_URL,
    URL_PREFIX as URL_PREFIX,
    fetch as fetch,
    reader_creator as reader_creator,
    test as test,
    train as train,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
