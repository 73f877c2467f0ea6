"""paddle.fluid: Fluid, as programs of 1.4 to 1.8 import it."""

import typing as _typing

from paddle.fluid.data import data as data  # loaded with the module of that name, whose place it takes
from refluid.deferred import names_of as _names_of

if _typing.TYPE_CHECKING:
    from paddle.fluid import (
        annotations as annotations,
        average as average,
        backward as backward,
        clip as clip,
        communicator as communicator,
        compiler as compiler,
        contrib as contrib,
        core as core,
        core_avx as core_avx,
        data_feed_desc as data_feed_desc,
        data_feeder as data_feeder,
        dataloader as dataloader,
        dataset as dataset,
        debugger as debugger,
        default_scope_funcs as default_scope_funcs,
        device_worker as device_worker,
        distribute_lookup_table as distribute_lookup_table,
        dygraph as dygraph,
        dygraph_grad_clip as dygraph_grad_clip,
        dygraph_utils as dygraph_utils,
        evaluator as evaluator,
        executor as executor,
        framework as framework,
        graphviz as graphviz,
        incubate as incubate,
        initializer as initializer,
        input as input,
        install_check as install_check,
        io as io,
        layer_helper as layer_helper,
        layer_helper_base as layer_helper_base,
        layers as layers,
        lod_tensor as lod_tensor,
        log_helper as log_helper,
        metrics as metrics,
        multiprocess_utils as multiprocess_utils,
        net_drawer as net_drawer,
        nets as nets,
        op as op,
        optimizer as optimizer,
        parallel_executor as parallel_executor,
        param_attr as param_attr,
        profiler as profiler,
        proto as proto,
        reader as reader,
        recordio_writer as recordio_writer,
        regularizer as regularizer,
        trainer_desc as trainer_desc,
        trainer_factory as trainer_factory,
        transpiler as transpiler,
        unique_name as unique_name,
    )
    from paddle.fluid.dygraph.nn import (
        FC as FC,
        NCE as NCE,
        BatchNorm as BatchNorm,
        BCELoss as BCELoss,
        BilinearTensorProduct as BilinearTensorProduct,
        Conv2D as Conv2D,
        Conv2DTranspose as Conv2DTranspose,
        Conv3D as Conv3D,
        Conv3DTranspose as Conv3DTranspose,
        Dropout as Dropout,
        Embedding as Embedding,
        GroupNorm as GroupNorm,
        GRUUnit as GRUUnit,
        InstanceNorm as InstanceNorm,
        L1Loss as L1Loss,
        LayerNorm as LayerNorm,
        Linear as Linear,
        MSELoss as MSELoss,
        NLLLoss as NLLLoss,
        Pool2D as Pool2D,
        PRelu as PRelu,
        RowConv as RowConv,
        SequenceConv as SequenceConv,
        SpectralNorm as SpectralNorm,
        TreeConv as TreeConv,
    )
    from paddle.fluid.incubate import data_generator as data_generator, fleet as fleet
    from refluid.autodiff.backward import append_backward as append_backward, gradients as gradients
    from refluid.contrib.memory import memory_optimize as memory_optimize, release_memory as release_memory
    from refluid.contrib.op_library import load_op_library as load_op_library
    from refluid.core.flags import get_flags as get_flags, set_flags as set_flags
    from refluid.core.places import (
        CPUPlace as CPUPlace,
        CUDAPinnedPlace as CUDAPinnedPlace,
        CUDAPlace as CUDAPlace,
        cpu_places as cpu_places,
        cuda_pinned_places as cuda_pinned_places,
        cuda_places as cuda_places,
        is_compiled_with_cuda as is_compiled_with_cuda,
    )
    from refluid.core.version import require_version as require_version
    from refluid.data.ctr.base import QueueDataset as QueueDataset
    from refluid.data.ctr.dataset import DatasetFactory as DatasetFactory
    from refluid.data.ctr.memory import InMemoryDataset as InMemoryDataset
    from refluid.data.ctr.feed_desc import DataFeedDesc as DataFeedDesc
    from refluid.data.feeder import DataFeeder as DataFeeder
    from refluid.distributed.transpile.config import DistributeTranspilerConfig as DistributeTranspilerConfig
    from refluid.distributed.transpile.transpiler import DistributeTranspiler as DistributeTranspiler
    from refluid.eager.base import (
        disable_dygraph as disable_dygraph,
        disable_dygraph as disable_imperative,
        enable_dygraph as enable_dygraph,
        enable_dygraph as enable_imperative,
        in_dygraph_mode as in_dygraph_mode,
    )
    from refluid.eager.complex_variable import ComplexVariable as ComplexVariable
    from refluid.eager.kinds import Parameter as Parameter, Variable as Variable
    from refluid.eager.py_layer import PyLayer as PyLayer
    from refluid.eager.variable import VarBase as VarBase
    from refluid.executor.compiled import (
        BuildStrategy as BuildStrategy,
        CompiledProgram as CompiledProgram,
        ExecutionStrategy as ExecutionStrategy,
    )
    from refluid.executor.executor import Executor as Executor
    from refluid.executor.parallel_executor import ParallelExecutor as ParallelExecutor
    from refluid.ir.block import Block as Block
    from refluid.ir.operator import Operator as Operator
    from refluid.ir.program import (
        Program as Program,
        default_main_program as default_main_program,
        default_startup_program as default_startup_program,
        device_guard as device_guard,
        name_scope as name_scope,
        program_guard as program_guard,
        switch_main_program as switch_main_program,
        switch_startup_program as switch_startup_program,
    )
    from refluid.layers.embedding import fluid_embedding as embedding
    from refluid.layers.tensor import fluid_one_hot as one_hot
    from refluid.nn.layer import Layer as Layer
    from refluid.params.attr import ParamAttr as ParamAttr, WeightNormParamAttr as WeightNormParamAttr
    from refluid.saving.dygraph import load_dygraph as load_dygraph, save_dygraph as save_dygraph
    from refluid.saving.program_state import (
        load as load,
        load_program_state as load_program_state,
        save as save,
        set_program_state as set_program_state,
    )
    from refluid.tensor.create import (
        create_lod_tensor as create_lod_tensor,
        create_random_int_lodtensor as create_random_int_lodtensor,
    )
    from refluid.tensor.lod_tensor import LoDTensor as LoDTensor, LoDTensor as Tensor
    from refluid.tensor.scope import (
        Scope as Scope,
        Scope as _Scope,
        global_scope as global_scope,
        scope_guard as scope_guard,
    )
    from refluid.tensor.tensor_array import LoDTensorArray as LoDTensorArray

__getattr__, __dir__ = _names_of(__name__)
