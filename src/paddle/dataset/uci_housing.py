"""paddle.dataset.uci_housing: prices of houses."""

from refluid.data.datasets.uci_housing import (
    MD5 as MD5,
    URL as URL,
    feature_names as feature_names,
    fetch as fetch,
    predict_reader as predict_reader,
    test as test,
    train as train,
)
