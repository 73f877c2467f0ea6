"""paddle.fluid.contrib.slim.core.config: strategies from a file."""

from refluid.contrib.slim.core.config import PLUGINS as PLUGINS, ConfigFactory as ConfigFactory
