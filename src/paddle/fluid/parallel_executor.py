"""paddle.fluid.parallel_executor: data parallelism as it was before CompiledProgram."""

from refluid.executor.compiled import (
    BuildStrategy as BuildStrategy,
    ExecutionStrategy as ExecutionStrategy,
)
from refluid.executor.parallel_executor import ParallelExecutor as ParallelExecutor
