"""paddle.fluid.transpiler: programs rewritten."""

from paddle.fluid.transpiler import memory_optimization_transpiler as memory_optimization_transpiler
from refluid.contrib.memory import memory_optimize as memory_optimize, release_memory as release_memory

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
