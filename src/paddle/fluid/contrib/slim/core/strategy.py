"""paddle.fluid.contrib.slim.core.strategy: what is done while a network trains."""

from refluid.contrib.slim.core.strategy import Strategy as Strategy
