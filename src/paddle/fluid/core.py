"""paddle.fluid.core: what programs use of Fluid's compiled half."""

# types and places
from refluid.core import var_names as var_names
from refluid.core.dtypes import size_of_dtype as size_of_dtype
from refluid.core.errors import EnforceNotMet as EnforceNotMet, EOFException as EOFException
from refluid.core.places import (
    CPUPlace as CPUPlace,
    CUDAPinnedPlace as CUDAPinnedPlace,
    CUDAPlace as CUDAPlace,
    Place as Place,
    get_cuda_device_count as get_cuda_device_count,
    is_compiled_with_cuda as is_compiled_with_cuda,
)
from refluid.core.reserved import (
    control_dep_var_name as kControlDepVarName,
    empty_var_name as empty_var_name,
    empty_var_name as kEmptyVarName,
    grad_var_suffix as grad_var_suffix,
    grad_var_suffix as kGradVarSuffix,
    loaded_var_suffix as loaded_var_suffix,
    new_grad_suffix as kNewGradSuffix,
    temp_var_name as kTempVarName,
    zero_var_suffix as kZeroVarSuffix,
)

# the imperative mode
from refluid.eager import op_functions as ops
from refluid.eager.variable import VarBase as VarBase

# programs
from refluid.ir.desc import (
    BlockDesc as BlockDesc,
    OpDesc as OpDesc,
    ProgramDesc as ProgramDesc,
    VarDesc as VarDesc,
)
from refluid.ir.graph import (
    Graph as Graph,
    Node as Node,
    graph_safe_remove_nodes as graph_safe_remove_nodes,
)
from refluid.ir.graph_order import (
    build_adjacency_list as build_adjacency_list,
    graph_num as graph_num,
    has_circle as has_circle,
    topology_sort as topology_sort,
)
from refluid.ir.graph_pass import Pass as Pass, get_pass as get_pass
from refluid.executor.compiled import BuildStrategy as BuildStrategy, ExecutionStrategy as ExecutionStrategy
from refluid.ir import op_maker as op_proto_and_checker_maker
from refluid.saving.op_protos import serialized_op_protos as get_all_op_protos

# values
from refluid.tensor.create import from_dlpack as from_dlpack
from refluid.tensor.lod_tensor import LoDTensor as LoDTensor, LoDTensor as Tensor
from refluid.tensor.scope import Scope as Scope, ScopeVar as Variable
from refluid.tensor.selected_rows import SelectedRows as SelectedRows
from refluid.tensor.tensor_array import LoDTensorArray as LoDTensorArray

# files
from refluid.saving.record_files import RecordIOWriter as RecordIOWriter

# inference
from refluid.saving.predictor import (
    PaddlePredictor as AnalysisPredictor,
    PaddlePredictor as PaddlePredictor,
    create_paddle_predictor as create_paddle_predictor,
)
from refluid.saving.predictor_config import AnalysisConfig as AnalysisConfig, NativeConfig as NativeConfig
from refluid.saving.predictor_tensor import (
    PaddleBuf as PaddleBuf,
    PaddleDType as PaddleDType,
    PaddleTensor as PaddleTensor,
    ZeroCopyTensor as ZeroCopyTensor,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
