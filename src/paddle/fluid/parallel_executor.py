"""paddle.fluid.parallel_executor: data parallelism as it was before CompiledProgram."""

from refluid.executor.compiled import (
    BuildStrategy as BuildStrategy,
    ExecutionStrategy as ExecutionStrategy,
)
from refluid.executor.parallel_executor import ParallelExecutor as ParallelExecutor

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
