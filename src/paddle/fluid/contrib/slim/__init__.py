"""paddle.fluid.contrib.slim: smaller models."""

from paddle.fluid.contrib.slim import (
    core as core,
    distillation as distillation,
    graph as graph,
    nas as nas,
    prune as prune,
    quantization as quantization,
    searcher as searcher,
)
from refluid.contrib.slim.core.compressor import Compressor as Compressor
from refluid.contrib.slim.core.config import ConfigFactory as ConfigFactory
from refluid.contrib.slim.core.context import Context as Context
from refluid.contrib.slim.core.strategy import Strategy as Strategy

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
