"""paddle.incubate.hapi.datasets.imdb: movie reviews."""

from refluid.hapi.datasets.imdb import Imdb as Imdb

__all__ = ["Imdb"]
