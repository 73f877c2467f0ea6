"""Ratings of films by index."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.data.datasets import movielens
from refluid.hapi.datasets.sampled import Samples, check_mode, given_or_found


class Movielens(Samples):
    """Who rated which film how: user, sex, age, job, film, its categories, words of its title, float [1]: the rating.

    Args:
        data_file: the official archive; found or fetched as `paddle.dataset.movielens` does where it is not given.
        mode: "train" or "test".
        test_ratio: the fraction of ratings for testing.
        rand_seed: the seed of that split.
        download: whether the file may be found without being given.
    """

    def __init__(
        self,
        data_file: str | None = None,
        mode: str = "train",
        test_ratio: float = 0.1,
        rand_seed: int = 0,
        download: bool = True,
    ):
        if not 0 <= test_ratio <= 1:
            raise ArgumentError(f"Movielens: test_ratio must lie in [0, 1], got {test_ratio}")
        self.mode = check_mode("Movielens", mode)
        path = given_or_found("Movielens", download, data_file, movielens.URL, movielens.MD5)
        super().__init__(movielens.ratings(path, self.mode == "test", test_ratio, rand_seed)())
