"""paddle.fluid.contrib.slim.core.config: strategies from a file."""

from refluid.contrib.slim.core.config import PLUGINS as PLUGINS, ConfigFactory as ConfigFactory

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
