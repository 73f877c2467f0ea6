"""paddle.fluid.transpiler: programs rewritten."""

from refluid.contrib.memory import memory_optimize as memory_optimize, release_memory as release_memory
