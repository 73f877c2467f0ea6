"""paddle.fluid.transpiler.memory_optimization_transpiler: memory of programs."""

from refluid.contrib.memory import memory_optimize as memory_optimize, release_memory as release_memory

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
