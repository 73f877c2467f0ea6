"""paddle.fluid.contrib.slim.graph.executor: runs graphs."""

from refluid.contrib.slim.graph.executor import SlimGraphExecutor as SlimGraphExecutor

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
