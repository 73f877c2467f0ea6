"""paddle.incubate.hapi.datasets.conll05: who does what to whom."""

from refluid.hapi.datasets.conll05 import Conll05st as Conll05st

__all__ = ["Conll05st"]
