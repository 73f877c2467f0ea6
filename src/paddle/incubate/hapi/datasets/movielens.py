"""paddle.incubate.hapi.datasets.movielens: ratings of films."""

from refluid.hapi.datasets.movielens import Movielens as Movielens

__all__ = ["Movielens"]
