"""paddle.dataset.uci_housing: prices of houses."""

from refluid.data.datasets.uci_housing import (
    FLUID_MD5_MODEL as FLUID_MD5_MODEL,
    FLUID_URL_MODEL as FLUID_URL_MODEL,
    MD5 as MD5,
    URL as URL,
    feature_names as feature_names,
    feature_range as feature_range,
    fetch as fetch,
    fluid_model as fluid_model,
    load_data as load_data,
    predict_reader as predict_reader,
    test as test,
    train as train,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
