"""paddle.fluid.contrib.slim.core.compressor: trains a network while it gets smaller."""

from refluid.contrib.slim.core.cached_reader import cached_reader as cached_reader
from refluid.contrib.slim.core.compressor import Compressor as Compressor
from refluid.contrib.slim.core.context import Context as Context

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
