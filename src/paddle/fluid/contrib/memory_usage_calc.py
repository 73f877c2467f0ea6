"""paddle.fluid.contrib.memory_usage_calc: the memory of a program."""

from refluid.contrib.memory import dtype_to_size as dtype_to_size, memory_usage as memory_usage

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
