"""paddle.fluid.dygraph: the imperative mode."""

import typing as _typing

from refluid.deferred import names_of as _names_of

if _typing.TYPE_CHECKING:
    from paddle.fluid.dygraph import (
        backward_strategy as backward_strategy,
        base as base,
        checkpoint as checkpoint,
        container as container,
        dygraph_to_static as dygraph_to_static,
        jit as jit,
        layers as layers,
        learning_rate_scheduler as learning_rate_scheduler,
        nn as nn,
        parallel as parallel,
        rnn as rnn,
        static_runner as static_runner,
        parallel_helper as parallel_helper,
        tracer as tracer,
    )
    from refluid.eager.base import (
        disable_dygraph as disable_dygraph,
        disable_dygraph as disable_imperative,
        enable_dygraph as enable_dygraph,
        enable_dygraph as enable_imperative,
        enabled as enabled,
        guard as guard,
        in_dygraph_mode as in_dygraph_mode,
        no_grad as no_grad,
        to_variable as to_variable,
    )
    from refluid.eager.grad import grad as grad
    from refluid.eager.py_layer import PyLayer as PyLayer
    from refluid.eager.strategy import BackwardStrategy as BackwardStrategy
    from refluid.eager.tracer import Tracer as Tracer
    from refluid.jit.function import declarative as declarative, dygraph_to_static_func as dygraph_to_static_func
    from refluid.jit.static_runner import StaticModelRunner as StaticModelRunner
    from refluid.jit.traced import TracedLayer as TracedLayer
    from refluid.jit.translator import ProgramTranslator as ProgramTranslator
    from refluid.diagnostics.profiler import (
        start_gperf_profiler as start_gperf_profiler,
        stop_gperf_profiler as stop_gperf_profiler,
    )
    from refluid.nn.bilinear import BilinearTensorProduct as BilinearTensorProduct
    from refluid.nn.cells import GRUCell as GRUCell, LSTMCell as LSTMCell
    from refluid.nn.container import LayerList as LayerList, ParameterList as ParameterList, Sequential as Sequential
    from refluid.nn.conv import Conv2D as Conv2D, Conv3D as Conv3D
    from refluid.nn.conv_transpose import Conv2DTranspose as Conv2DTranspose, Conv3DTranspose as Conv3DTranspose
    from refluid.nn.dropout import Dropout as Dropout
    from refluid.nn.embedding import Embedding as Embedding
    from refluid.nn.gru_unit import GRUUnit as GRUUnit
    from refluid.nn.layer import Layer as Layer
    from refluid.nn.linear import FC as FC, Linear as Linear
    from refluid.nn.loss import BCELoss as BCELoss, L1Loss as L1Loss, MSELoss as MSELoss, NLLLoss as NLLLoss
    from refluid.nn.nce import NCE as NCE
    from refluid.nn.norm import BatchNorm as BatchNorm, LayerNorm as LayerNorm
    from refluid.nn.norm_in_sample import (
        GroupNorm as GroupNorm,
        InstanceNorm as InstanceNorm,
        SpectralNorm as SpectralNorm,
    )
    from refluid.distributed.data_parallel import (
        DataParallel as DataParallel,
        prepare_context as prepare_context,
    )
    from refluid.distributed.environment import ParallelEnv as ParallelEnv
    from refluid.nn.pool import Pool2D as Pool2D
    from refluid.nn.prelu import PRelu as PRelu
    from refluid.nn.tree_conv import TreeConv as TreeConv
    from refluid.optim.decay import (
        CosineDecay as CosineDecay,
        ExponentialDecay as ExponentialDecay,
        InverseTimeDecay as InverseTimeDecay,
        LinearLrWarmup as LinearLrWarmup,
        NaturalExpDecay as NaturalExpDecay,
        NoamDecay as NoamDecay,
        PiecewiseDecay as PiecewiseDecay,
        PolynomialDecay as PolynomialDecay,
    )
    from refluid.optim.epoch_decay import (
        LambdaDecay as LambdaDecay,
        MultiStepDecay as MultiStepDecay,
        ReduceLROnPlateau as ReduceLROnPlateau,
        StepDecay as StepDecay,
    )
    from refluid.saving.dygraph import (
        load_dygraph as load_dygraph,
        load_persistables as load_persistables,
        save_dygraph as save_dygraph,
        save_persistables as save_persistables,
    )

__getattr__, __dir__ = _names_of(__name__)
