"""paddle.fluid.core: what programs use of Fluid's compiled half."""

# types and places
from refluid.core.dtypes import VarDesc as VarDesc
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
