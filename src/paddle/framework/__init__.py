"""paddle.framework: programs, places, and what runs them, as 2.0-alpha spells them."""

from paddle.framework import random as random
from refluid.alpha.debug import Print as Print
from refluid.alpha.tensor.random import manual_seed as manual_seed
from refluid.autodiff.backward import append_backward as append_backward, gradients as gradients
from refluid.core.places import CPUPlace as CPUPlace, CUDAPinnedPlace as CUDAPinnedPlace, CUDAPlace as CUDAPlace
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
from refluid.layers.debug import py_func as py_func
from refluid.layers.parameters import create_global_var as create_global_var, create_parameter as create_parameter
from refluid.params.attr import ParamAttr as ParamAttr, WeightNormParamAttr as WeightNormParamAttr
from refluid.tensor.scope import global_scope as global_scope, scope_guard as scope_guard
