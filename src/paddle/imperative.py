"""paddle.imperative: the mode in which operators run at once."""

from paddle.fluid import core as core
from refluid.alpha.imperative import guard as guard
from refluid.eager.base import enabled as enabled, no_grad as no_grad, to_variable as to_variable
from refluid.eager.grad import grad as grad
from refluid.eager.strategy import BackwardStrategy as BackwardStrategy
from refluid.jit.function import declarative as declarative
from refluid.jit.traced import TracedLayer as TracedLayer
from refluid.jit.translator import ProgramTranslator as ProgramTranslator
from refluid.distributed.data_parallel import (
    DataParallel as DataParallel,
    prepare_context as prepare_context,
)
from refluid.distributed.environment import ParallelEnv as ParallelEnv
from refluid.optim.decay import (
    CosineDecay as CosineDecay,
    ExponentialDecay as ExponentialDecay,
    InverseTimeDecay as InverseTimeDecay,
    NaturalExpDecay as NaturalExpDecay,
    NoamDecay as NoamDecay,
    PiecewiseDecay as PiecewiseDecay,
    PolynomialDecay as PolynomialDecay,
)
from refluid.saving.dygraph import load_dygraph as load, save_dygraph as save
