"""The Boston housing table by index."""

from __future__ import annotations

import numpy as np

from refluid.data.datasets import uci_housing
from refluid.hapi.datasets.sampled import Samples, check_files, check_mode


class UCIHousing(Samples):
    """Districts of Boston: (float32 [13]: its figures, scaled, float32 [1]: the median price of a house).

    Args:
        data_file: a file like housing.data; what `paddle.dataset.uci_housing` has where it is not given.
        mode: "train" for the first 80 %, "test" for the rest.
        download: whether the file may be found without being given.
    """

    def __init__(self, data_file: str | None = None, mode: str = "train", download: bool = True):
        self.mode = check_mode("UCIHousing", mode)
        if check_files("UCIHousing", download, data_file=data_file):
            rows = uci_housing.scaled(uci_housing.read(str(data_file)))[0 if self.mode == "train" else 1]
            samples = [(row[:-1], row[-1:]) for row in rows]
        else:
            samples = list((uci_housing.train() if self.mode == "train" else uci_housing.test())())
        super().__init__((figures.astype(np.float32), price.astype(np.float32)) for figures, price in samples)
