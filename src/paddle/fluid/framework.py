"""paddle.fluid.framework: programs and their parts."""

from paddle.fluid import core as core

from refluid.core.dtypes import convert_np_dtype_to_dtype_ as convert_np_dtype_to_dtype_
from refluid.core.flags import get_flags as get_flags, set_flags as set_flags
from refluid.core.places import (
    cpu_places as cpu_places,
    cuda_pinned_places as cuda_pinned_places,
    cuda_places as cuda_places,
    is_compiled_with_cuda as is_compiled_with_cuda,
)
from refluid.core.version import require_version as require_version
from refluid.eager.base import _current_expected_place as _current_expected_place, in_dygraph_mode as in_dygraph_mode
from refluid.eager.complex_variable import ComplexVariable as ComplexVariable
from refluid.eager.kinds import Parameter as Parameter, Variable as Variable
from refluid.eager.parameter import ParamBase as ParamBase
from refluid.eager.tracer import _dygraph_tracer as _dygraph_tracer
from refluid.ir.block import Block as Block
from refluid.ir.graph_view import (
    IrGraph as IrGraph,
    IrNode as IrNode,
    IrOpNode as IrOpNode,
    IrVarNode as IrVarNode,
)
from refluid.ir.operator import Operator as Operator
from refluid.ir.program import (
    Program as Program,
    _get_var as _get_var,
    default_main_program as default_main_program,
    default_startup_program as default_startup_program,
    device_guard as device_guard,
    name_scope as name_scope,
    program_guard as program_guard,
    switch_main_program as switch_main_program,
    switch_startup_program as switch_startup_program,
)
from refluid.ir.roles import OpRole as OpRole
