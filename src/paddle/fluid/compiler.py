"""paddle.fluid.compiler: compiled programs."""

from refluid.executor.compiled import (
    BuildStrategy as BuildStrategy,
    CompiledProgram as CompiledProgram,
    ExecutionStrategy as ExecutionStrategy,
)
