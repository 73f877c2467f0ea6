"""paddle.fluid.compiler: compiled programs."""

from refluid.executor.compiled import (
    BuildStrategy as BuildStrategy,
    CompiledProgram as CompiledProgram,
    ExecutionStrategy as ExecutionStrategy,
)
from refluid.saving.predictor_config import AnalysisConfig as InferAnalysisConfig, NativeConfig as InferNativeConfig

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
