"""MovieLens 1M: who rated which film how. A sample joins the features of a user, those of a film, and the rating."""

import re
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from refluid.core.errors import DataFileError
from refluid.data.datasets import common

URL = "https://dataset.bj.bcebos.com/movielens%2Fml-1m.zip"
MD5 = "c4d9eecfca2ab87c1945afe126590906"
age_table = [1, 18, 25, 35, 45, 50, 56]
_TEST_SHARE, _SEED = 0.1, 0


class MovieInfo:
    """A film: its number, title and categories."""

    def __init__(self, index: str | int, categories: list[str], title: str):
        self.index = int(index)
        self.categories = categories
        self.title = title

    def value(self) -> list[Any]:
        """[number, numbers of its categories, numbers of the words of its title]."""
        return _tables(_path()).figures(self)

    def __str__(self) -> str:
        return f"<MovieInfo id({self.index}), title({self.title}), categories({self.categories})>"

    __repr__ = __str__


class UserInfo:
    """A user: number, sex, row of `age_table`, job."""

    def __init__(self, index: str | int, gender: str, age: str | int, job_id: str | int):
        self.index = int(index)
        self.is_male = gender == "M"
        self.age = age_table.index(int(age))
        self.job_id = int(job_id)

    def value(self) -> list[int]:
        """[number, 0 for a man or 1 for a woman, row of `age_table`, job]."""
        return [self.index, 0 if self.is_male else 1, self.age, self.job_id]

    def __str__(self) -> str:
        sex = "M" if self.is_male else "F"
        return f"<UserInfo id({self.index}), gender({sex}), age({age_table[self.age]}), job({self.job_id})>"

    __repr__ = __str__


class _Tables(NamedTuple):
    movies: dict[int, MovieInfo]
    users: dict[int, UserInfo]
    categories: dict[str, int]
    words: dict[str, int]

    def figures(self, movie: MovieInfo) -> list[Any]:
        categories = [self.categories[name] for name in movie.categories]
        return [movie.index, categories, [self.words[word.lower()] for word in movie.title.split()]]


def train() -> Callable[[], Iterator[list]]:
    """A reader of nine ratings of ten: user features, film features and [rating in -3, -1, 1, 3, 5]."""
    return ratings(None, is_test=False)


def test() -> Callable[[], Iterator[list]]:
    """A reader of the other ratings."""
    return ratings(None, is_test=True)


def get_movie_title_dict() -> dict[str, int]:
    """Numbers of the words of titles."""
    return _tables(_path()).words


def movie_categories() -> dict[str, int]:
    """Numbers of the categories."""
    return _tables(_path()).categories


def movie_info() -> dict[int, MovieInfo]:
    return _tables(_path()).movies


def user_info() -> dict[int, UserInfo]:
    return _tables(_path()).users


def max_movie_id() -> int:
    return max(movie_info())


def max_user_id() -> int:
    return max(user_info())


def max_job_id() -> int:
    return max(user.job_id for user in user_info().values())


def fetch() -> None:
    """Download the official file into the cache folder."""
    common.download(URL, "movielens", MD5)


def _path() -> str:
    return common.find(URL, "movielens", MD5)


@cache
def _tables(path: str) -> _Tables:
    movies, users = {}, {}
    for index, title, kinds in _rows(path, "movies.dat"):
        matched = re.match(r"^(.*)\((\d+)\)$", title)
        movies[int(index)] = MovieInfo(index, kinds.split("|"), matched.group(1) if matched else title)
    for index, gender, age, job, _ in _rows(path, "users.dat"):
        users[int(index)] = UserInfo(index, gender, age, job)
    # Fluid numbers them as its sets happen to be ordered; here the order of the file makes every run the same.
    categories = dict.fromkeys(name for movie in movies.values() for name in movie.categories)
    words = dict.fromkeys(word.lower() for movie in movies.values() for word in movie.title.split())
    return _Tables(movies, users, {k: i for i, k in enumerate(categories)}, {k: i for i, k in enumerate(words)})


def _rows(path: str, name: str) -> Iterator[list[str]]:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(f"ml-1m/{name}") as file:
            for line in file:
                yield line.decode("latin-1").strip().split("::")
    except (zipfile.BadZipFile, KeyError) as problem:
        raise DataFileError(f"movielens: {path} is damaged ({problem}); remove it to get it anew") from problem


def ratings(
    path: str | None, is_test: bool, test_share: float = _TEST_SHARE, seed: int = _SEED
) -> Callable[[], Iterator[list]]:
    """A reader of the ratings, for training or for testing, of an archive anywhere; that of the cache if None."""

    def reader() -> Iterator[list]:
        archive = path or _path()
        tables = _tables(archive)
        draw = np.random.RandomState(seed).random_sample
        for user, movie, rating, _ in _rows(archive, "ratings.dat"):
            if (draw() < test_share) == is_test:
                mark = float(rating) * 2 - 5.0
                yield [*tables.users[int(user)].value(), *tables.figures(tables.movies[int(movie)]), [mark]]

    return reader
