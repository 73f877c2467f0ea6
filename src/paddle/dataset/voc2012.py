"""paddle.dataset.voc2012: segmented images."""

from refluid.data.datasets.voc2012 import (
    CACHE_DIR as CACHE_DIR,
    DATA_FILE as DATA_FILE,
    LABEL_FILE as LABEL_FILE,
    SET_FILE as SET_FILE,
    VOC_MD5 as VOC_MD5,
    VOC_URL as VOC_URL,
    fetch as fetch,
    reader_creator as reader_creator,
    test as test,
    train as train,
    val as val,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
