"""paddle.fluid.core: what programs use of Fluid's compiled half."""

# types, places, flags
from refluid.core.flags import all_flags as globals
from refluid.core import var_names as var_names
from refluid.core.dtypes import size_of_dtype as size_of_dtype
from refluid.core.errors import EnforceNotMet as EnforceNotMet, EOFException as EOFException
from refluid.core.flags import (
    Flags as GlobalVarGetterSetterRegistry,
    _set_eager_deletion_mode as _set_eager_deletion_mode,
    _set_fuse_parameter_group_size as _set_fuse_parameter_group_size,
    _set_fuse_parameter_memory_size as _set_fuse_parameter_memory_size,
    init_gflags as init_gflags,
)
from refluid.core.places import (
    CPUPlace as CPUPlace,
    CUDAPinnedPlace as CUDAPinnedPlace,
    CUDAPlace as CUDAPlace,
    Place as Place,
    get_cuda_device_count as get_cuda_device_count,
    is_compiled_with_cuda as is_compiled_with_cuda,
)
from refluid.core.process import (
    _dygraph_debug_level as _dygraph_debug_level,
    _is_dygraph_debug_enabled as _is_dygraph_debug_enabled,
    _is_program_version_supported as _is_program_version_supported,
    is_compiled_with_brpc as is_compiled_with_brpc,
    is_compiled_with_dist as is_compiled_with_dist,
    is_compiled_with_mkldnn as is_compiled_with_mkldnn,
    run_cmd as run_cmd,
    set_num_threads as set_num_threads,
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
from refluid.eager.strategy import BackwardStrategy as BackwardStrategy
from refluid.eager.switching import (
    _switch_tracer as _switch_tracer,
    dygraph_partial_grad as dygraph_partial_grad,
)
from refluid.eager.tracer import Tracer as Tracer
from refluid.eager.variable import VarBase as VarBase
from refluid.nn.layer import Layer as Layer
from refluid.distributed.data_parallel import ParallelStrategy as ParallelStrategy

# operators
from refluid.contrib.op_library import load_op_library as load_op_library
from refluid.executor.single import SingleOperator as Operator
from refluid.ops.facts import (
    AttrType as AttrType,
    get_op_attrs_default_value as get_op_attrs_default_value,
    has_grad_op_maker as has_grad_op_maker,
    has_infer_inplace as has_infer_inplace,
    has_non_empty_grad_op_maker as has_non_empty_grad_op_maker,
    infer_no_need_buffer_slots as infer_no_need_buffer_slots,
    op_support_gpu as op_support_gpu,
)

# programs
from refluid.autodiff.desc import (
    get_grad_op_desc as get_grad_op_desc,
    prune as prune,
    prune_backward as prune_backward,
)
from refluid.executor.compatible import diff_tensor_shape as diff_tensor_shape
from refluid.saving.compatible_map import save_op_compatible_info as save_op_compatible_info
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
from refluid.ir.graph_pass import Pass as Pass, PassBuilder as PassBuilder, get_pass as get_pass
from refluid.executor.compiled import BuildStrategy as BuildStrategy, ExecutionStrategy as ExecutionStrategy
from refluid.ir import op_maker as op_proto_and_checker_maker
from refluid.saving.op_protos import serialized_op_protos as get_all_op_protos

# values
from refluid.tensor.columns import (
    get_fetch_variable as get_fetch_variable,
    get_variable_tensor as get_variable_tensor,
    set_feed_variable as set_feed_variable,
)
from refluid.tensor.create import from_dlpack as from_dlpack
from refluid.tensor.lod_tensor import LoDTensor as LoDTensor, LoDTensor as Tensor
from refluid.tensor.rank_table import RankTable as LodRankTable
from refluid.tensor.scope import Scope as Scope, Scope as _Scope, ScopeVar as Variable
from refluid.tensor.selected_rows import SelectedRows as SelectedRows
from refluid.tensor.tensor_array import LoDTensorArray as FetchList, LoDTensorArray as LoDTensorArray

# timing
from refluid.diagnostics.profiler import (
    reset_profiler as reset_profiler,
    start_gperf_profiler as start_imperative_gperf_profiler,
    stop_gperf_profiler as stop_imperative_gperf_profiler,
)
from refluid.diagnostics.profiler_states import (
    EventSortingKey as EventSortingKey,
    ProfilerState as ProfilerState,
    TracerOption as TracerOption,
    disable_profiler as disable_profiler,
    enable_profiler as enable_profiler,
    is_profiler_enabled as is_profiler_enabled,
    kAll as kAll,
    kAllOpDetail as kAllOpDetail,
    kAve as kAve,
    kCPU as kCPU,
    kCUDA as kCUDA,
    kCalls as kCalls,
    kDefault as kDefault,
    kDisabled as kDisabled,
    kMax as kMax,
    kMin as kMin,
    kOpDetail as kOpDetail,
    kTotal as kTotal,
    set_tracer_option as set_tracer_option,
)

# files
from refluid.saving.record_files import RecordIOWriter as RecordIOWriter

# inference
from refluid.saving.predictor import (
    PaddlePredictor as AnalysisPredictor,
    PaddlePredictor as NativePaddlePredictor,
    PaddlePredictor as PaddlePredictor,
    create_paddle_predictor as create_paddle_predictor,
)
from refluid.saving.predictor_config import AnalysisConfig as AnalysisConfig, NativeConfig as NativeConfig
from refluid.saving.predictor_passes import (
    CpuPassStrategy as CpuPassStrategy,
    GpuPassStrategy as GpuPassStrategy,
    PaddlePassBuilder as PaddlePassBuilder,
    PassStrategy as PassStrategy,
)
from refluid.saving.predictor_tensor import (
    PaddleBuf as PaddleBuf,
    PaddleDType as PaddleDType,
    PaddlePlace as PaddlePlace,
    PaddleTensor as PaddleTensor,
    ZeroCopyTensor as ZeroCopyTensor,
    paddle_dtype_size as paddle_dtype_size,
    paddle_tensor_to_bytes as paddle_tensor_to_bytes,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
