"""paddle.fluid.contrib.slim.graph.executor: runs graphs."""

from refluid.contrib.slim.graph.executor import SlimGraphExecutor as SlimGraphExecutor
