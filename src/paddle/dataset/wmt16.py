"""paddle.dataset.wmt16: English and German."""

from refluid.data.datasets.wmt16 import (
    DATA_MD5 as DATA_MD5,
    DATA_URL as DATA_URL,
    END_MARK as END_MARK,
    START_MARK as START_MARK,
    TOTAL_DE_WORDS as TOTAL_DE_WORDS,
    TOTAL_EN_WORDS as TOTAL_EN_WORDS,
    UNK_MARK as UNK_MARK,
    fetch as fetch,
    get_dict as get_dict,
    reader_creator as reader_creator,
    test as test,
    train as train,
    validation as validation,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
