"""paddle.fluid.core: what programs use of Fluid's compiled half."""

# types and places
from refluid.core.errors import EnforceNotMet as EnforceNotMet, EOFException as EOFException
from refluid.core.places import (
    CPUPlace as CPUPlace,
    CUDAPinnedPlace as CUDAPinnedPlace,
    CUDAPlace as CUDAPlace,
    get_cuda_device_count as get_cuda_device_count,
    is_compiled_with_cuda as is_compiled_with_cuda,
)

# the imperative mode
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
from refluid.ops.protos import get_all_op_protos as get_all_op_protos

# values
from refluid.tensor.lod_tensor import LoDTensor as LoDTensor
from refluid.tensor.scope import Scope as Scope
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
