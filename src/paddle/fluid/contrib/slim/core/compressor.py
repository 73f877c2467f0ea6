"""paddle.fluid.contrib.slim.core.compressor: trains a network while it gets smaller."""

from refluid.contrib.slim.core.cached_reader import cached_reader as cached_reader
from refluid.contrib.slim.core.compressor import Compressor as Compressor
from refluid.contrib.slim.core.context import Context as Context
