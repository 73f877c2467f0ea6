"""paddle.fluid.contrib.memory_usage_calc: the memory of a program."""

from refluid.contrib.memory import memory_usage as memory_usage
