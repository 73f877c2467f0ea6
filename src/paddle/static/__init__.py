"""paddle.static: programs that are built first and run later, as 2.0-alpha spells it."""

from refluid.alpha.debug import Print as Print
from refluid.autodiff.backward import append_backward as append_backward, gradients as gradients
from refluid.core.places import cpu_places as cpu_places, cuda_places as cuda_places
from refluid.eager.kinds import Variable as Variable
from refluid.executor.compiled import (
    BuildStrategy as BuildStrategy,
    CompiledProgram as CompiledProgram,
    ExecutionStrategy as ExecutionStrategy,
)
from refluid.executor.executor import Executor as Executor
from refluid.executor.parallel_executor import ParallelExecutor as ParallelExecutor
from refluid.ir.program import (
    Program as Program,
    default_main_program as default_main_program,
    default_startup_program as default_startup_program,
    name_scope as name_scope,
    program_guard as program_guard,
)
from refluid.layers.data import fluid_data as data
from refluid.layers.debug import py_func as py_func
from refluid.layers.parameters import create_global_var as create_global_var, create_parameter as create_parameter
from refluid.params.attr import ParamAttr as ParamAttr, WeightNormParamAttr as WeightNormParamAttr
from refluid.saving.inference import (
    load_inference_model as load_inference_model,
    save_inference_model as save_inference_model,
)
from refluid.saving.program_state import (
    load as load,
    load_program_state as load_program_state,
    save as save,
    set_program_state as set_program_state,
)
from refluid.tensor.scope import Scope as Scope, global_scope as global_scope, scope_guard as scope_guard
