"""The Boston housing table: 13 features of a district, scaled, and the median price of its houses in 1,000 dollars.

`housing.data` is read from the cache folder when it is there, else from the package mlxtend, else it is fetched.
`load_data` puts another table of the same form in its place.
"""

import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from refluid.core.errors import DataFileError
from refluid.data.datasets import bundled, common

URL = "http://paddlemodels.bj.bcebos.com/uci_housing/housing.data"
MD5 = "d4accdce7a25600298819f8e28e8d593"
feature_names = ["CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT"]
FLUID_URL_MODEL = "https://github.com/PaddlePaddle/book/raw/develop/01.fit_a_line/fluid/fit_a_line.fluid.tar"
FLUID_MD5_MODEL = "6e6dd637ccd5993961f68bfbde46090b"
_BUNDLED = "boston_housing.csv"
_given: list[tuple[np.ndarray, np.ndarray]] = []  # what load_data was called with first

Reader = Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]]


def train() -> Reader:
    """A reader of the first 80 % of the table: (float64 [13], float64 [1])."""
    return _reader(_parts()[0])


def test() -> Reader:
    """A reader of the last 20 % of the table, in the form of `train`."""
    return _reader(_parts()[1])


def predict_reader() -> tuple[np.ndarray]:
    """The features of the first test district, as a tuple of one array."""
    return (_parts()[1][0, :-1],)


def load_data(filename: str, feature_num: int = 14, ratio: float = 0.8) -> None:
    """Read a table of one's own for `train` and `test`; only the first call of a process does, as in Fluid.

    Args:
        filename: numbers separated by blanks, `feature_num` a row, the last of them what is to be predicted.
        ratio: the fraction of the rows that is for training.
    """
    if not _given:
        _given.append(scaled(read(filename, " ", feature_num), ratio))


def feature_range(maximums: np.ndarray, minimums: np.ndarray) -> None:
    """Plot the range of every feature into image/ranges.png. Needs matplotlib, which the extra `viz` brings."""
    from matplotlib.figure import Figure

    axes = (figure := Figure()).subplots()
    axes.bar(range(len(maximums)), np.asarray(maximums) - np.asarray(minimums), color="r", align="center")
    axes.set_title("feature scale")
    axes.set_xticks(range(len(maximums)), feature_names[: len(maximums)], rotation=45)
    os.makedirs("image", exist_ok=True)
    figure.savefig("image/ranges.png", dpi=48)


def fluid_model() -> str:
    """The folder in which the model that the book trained on this table is unpacked; it is fetched if need be."""
    archive = common.find(FLUID_URL_MODEL, "uci_housing", FLUID_MD5_MODEL)
    folder = tempfile.mkdtemp()
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return folder


def fetch() -> None:
    """Download the table into the cache folder."""
    common.download(URL, "uci_housing", MD5)


def _reader(table: np.ndarray) -> Reader:
    def reader() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for row in table.copy():  # a program may write into its samples
            yield row[:-1], row[-1:]

    return reader


def _parts() -> tuple[np.ndarray, np.ndarray]:
    return _given[0] if _given else _tables(common.DATA_HOME)


@cache
def _tables(home: str) -> tuple[np.ndarray, np.ndarray]:
    path, separator = os.path.join(home, "uci_housing", os.path.basename(URL)), " "
    if not os.path.exists(path):
        stand_in = bundled.path(_BUNDLED)
        if stand_in is None:
            path = bundled.download(URL, "uci_housing", MD5, "the same table")
        else:
            bundled.announce(f"refluid: {path} is not there; using the same table from the package mlxtend.")
            path, separator = stand_in, ","
    return scaled(read(path, separator))


def read(path: str, separator: str = " ", columns: int = 14) -> np.ndarray:
    """The numbers of a file, in rows."""
    with open(path, encoding="ascii") as file:
        words = file.read().replace(separator, " ").split()
    try:
        values = np.array(words, np.float64)
    except ValueError as problem:
        raise DataFileError(f"uci_housing: {path} is no table of numbers: {problem}") from problem
    if not values.size or values.size % columns:
        raise DataFileError(f"uci_housing: {path} has {values.size} numbers, expected rows of {columns}")
    return values.reshape(-1, columns)


def scaled(table: np.ndarray, ratio: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    """Every feature, the price excepted, minus its mean, divided by its range over the whole table."""
    figures = table[:, :-1]
    mean = figures.sum(axis=0) / len(table)
    figures[:] = (figures - mean) / (figures.max(axis=0) - figures.min(axis=0))
    first = int(len(table) * ratio)
    return table[:first], table[first:]
