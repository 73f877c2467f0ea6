"""paddle.dataset.mq2007: learning to rank."""

from refluid.data.datasets.common import download as download
from refluid.data.datasets.mq2007 import (
    MD5 as MD5,
    URL as URL,
    Query as Query,
    QueryList as QueryList,
    fetch as fetch,
    gen_list as gen_list,
    gen_pair as gen_pair,
    gen_plain_txt as gen_plain_txt,
    gen_point as gen_point,
    load_from_text as load_from_text,
    query_filter as query_filter,
    test as test,
    train as train,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
