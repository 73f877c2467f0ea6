"""paddle.fluid.framework: programs and their parts."""

from paddle.fluid import core as core

from refluid.contrib.op_library import load_op_library as load_op_library
from refluid.core.dtypes import (
    convert_np_dtype_to_dtype_ as convert_np_dtype_to_dtype_,
    dtype_is_floating as dtype_is_floating,
)
from refluid.core.flags import get_flags as get_flags, set_flags as set_flags
from refluid.core.places import (
    _cpu_num as _cpu_num,
    _cuda_ids as _cuda_ids,
    cpu_places as cpu_places,
    cuda_pinned_places as cuda_pinned_places,
    cuda_places as cuda_places,
    is_compiled_with_cuda as is_compiled_with_cuda,
)
from refluid.core.reserved import (
    CONTROL_DEP_VAR_PREFIX as CONTROL_DEP_VAR_PREFIX,
    EMPTY_VAR_NAME as EMPTY_VAR_NAME,
    GRAD_VAR_SUFFIX as GRAD_VAR_SUFFIX,
    TEMP_VAR_NAME as TEMP_VAR_NAME,
    ZERO_VAR_SUFFIX as ZERO_VAR_SUFFIX,
    generate_control_dev_var_name as generate_control_dev_var_name,
    grad_var_name as grad_var_name,
)
from refluid.core.version import require_version as require_version
from refluid.eager.base import _current_expected_place as _current_expected_place, in_dygraph_mode as in_dygraph_mode
from refluid.eager.complex_variable import ComplexVariable as ComplexVariable
from refluid.eager.inner import (
    _dygraph_guard as _dygraph_guard,
    _dygraph_place_guard as _dygraph_place_guard,
    _getitem_impl_ as _getitem_impl_,
    _var_base_to_np as _var_base_to_np,
    _varbase_creator as _varbase_creator,
    dygraph_not_support as dygraph_not_support,
    dygraph_only as dygraph_only,
    fake_interface_only as fake_interface_only,
)
from refluid.eager.kinds import (
    OfBothModes as ParameterMetaClass,
    OfBothModes as VariableMetaClass,
    Parameter as Parameter,
    Variable as Variable,
)
from refluid.eager.parameter import ParamBase as ParamBase
from refluid.eager.tracer import _dygraph_tracer as _dygraph_tracer
from refluid.ir.block import Block as Block
from refluid.ir.graph_view import (
    IrGraph as IrGraph,
    IrNode as IrNode,
    IrOpNode as IrOpNode,
    IrVarNode as IrVarNode,
)
from refluid.ir.name_scope import NameScope as NameScope
from refluid.ir.operator import Operator as Operator
from refluid.ir.program import (
    Program as Program,
    _get_var as _get_var,
    default_main_program as default_main_program,
    default_startup_program as default_startup_program,
    device_guard as device_guard,
    name_scope as name_scope,
    program_guard as program_guard,
    switch_device as switch_device,
    switch_main_program as switch_main_program,
    switch_startup_program as switch_startup_program,
)
from refluid.ir.roles import OpRole as OpRole
from refluid.saving.op_protos import OpProtoHolder as OpProtoHolder, get_all_op_protos as get_all_op_protos

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
