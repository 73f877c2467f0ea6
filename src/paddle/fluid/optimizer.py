"""paddle.fluid.optimizer: optimizers."""

from refluid.distributed.dgc_optimizer import DGCMomentumOptimizer as DGCMomentumOptimizer
from refluid.optim.adadelta import Adadelta as Adadelta, AdadeltaOptimizer as AdadeltaOptimizer
from refluid.optim.adagrad import (
    Adagrad as Adagrad,
    AdagradOptimizer as AdagradOptimizer,
    DecayedAdagrad as DecayedAdagrad,
    DecayedAdagradOptimizer as DecayedAdagradOptimizer,
)
from refluid.optim.adam import Adam as Adam, AdamOptimizer as AdamOptimizer
from refluid.optim.adamax import Adamax as Adamax, AdamaxOptimizer as AdamaxOptimizer
from refluid.optim.dpsgd import Dpsgd as Dpsgd, DpsgdOptimizer as DpsgdOptimizer
from refluid.optim.ftrl import Ftrl as Ftrl, FtrlOptimizer as FtrlOptimizer
from refluid.optim.lamb import Lamb as Lamb, LambOptimizer as LambOptimizer
from refluid.optim.lookahead import LookaheadOptimizer as LookaheadOptimizer
from refluid.optim.model_average import ModelAverage as ModelAverage
from refluid.optim.momentum import (
    LarsMomentum as LarsMomentum,
    LarsMomentumOptimizer as LarsMomentumOptimizer,
    Momentum as Momentum,
    MomentumOptimizer as MomentumOptimizer,
)
from refluid.optim.moving_average import ExponentialMovingAverage as ExponentialMovingAverage
from refluid.optim.optimizer import Optimizer as Optimizer
from refluid.optim.pipeline import PipelineOptimizer as PipelineOptimizer
from refluid.optim.recompute import RecomputeOptimizer as RecomputeOptimizer
from refluid.optim.rmsprop import RMSProp as RMSProp, RMSPropOptimizer as RMSPropOptimizer
from refluid.optim.sgd import SGD as SGD, SGDOptimizer as SGDOptimizer

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
