"""paddle.fluid.contrib.slim.core: the compressor."""

from paddle.fluid.contrib.slim.core import compressor as compressor, config as config, strategy as strategy
from refluid.contrib.slim.core.compressor import Compressor as Compressor
from refluid.contrib.slim.core.config import ConfigFactory as ConfigFactory
from refluid.contrib.slim.core.context import Context as Context
from refluid.contrib.slim.core.strategy import Strategy as Strategy
