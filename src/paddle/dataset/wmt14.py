"""paddle.dataset.wmt14: French and English."""

from refluid.data.datasets.wmt14 import (
    END as END,
    MD5_TRAIN as MD5_TRAIN,
    START as START,
    UNK as UNK,
    UNK_IDX as UNK_IDX,
    URL_TRAIN as URL_TRAIN,
    fetch as fetch,
    gen as gen,
    get_dict as get_dict,
    reader_creator as reader_creator,
    test as test,
    train as train,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
