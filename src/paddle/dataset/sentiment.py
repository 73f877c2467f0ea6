"""paddle.dataset.sentiment: movie reviews."""

from refluid.data.datasets.sentiment import (
    MD5 as MD5,
    NUM_TOTAL_INSTANCES as NUM_TOTAL_INSTANCES,
    NUM_TRAINING_INSTANCES as NUM_TRAINING_INSTANCES,
    URL as URL,
    fetch as download_data_if_not_yet,
    fetch as fetch,
    get_word_dict as get_word_dict,
    load_sentiment_data as load_sentiment_data,
    reader_creator as reader_creator,
    sort_files as sort_files,
    test as test,
    train as train,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
