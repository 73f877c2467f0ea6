"""paddle.optimizer: optimizers; in the imperative mode they demand a parameter_list."""

from refluid.alpha.optimizer import (
    AdadeltaOptimizer as Adadelta,
    AdadeltaOptimizer as AdadeltaOptimizer,
    AdagradOptimizer as Adagrad,
    AdagradOptimizer as AdagradOptimizer,
    AdamOptimizer as Adam,
    AdamOptimizer as AdamOptimizer,
    AdamaxOptimizer as Adamax,
    AdamaxOptimizer as AdamaxOptimizer,
    DecayedAdagradOptimizer as DecayedAdagrad,
    DecayedAdagradOptimizer as DecayedAdagradOptimizer,
    DpsgdOptimizer as Dpsgd,
    DpsgdOptimizer as DpsgdOptimizer,
    FtrlOptimizer as Ftrl,
    FtrlOptimizer as FtrlOptimizer,
    LambOptimizer as LambOptimizer,
    LarsMomentumOptimizer as LarsMomentum,
    LarsMomentumOptimizer as LarsMomentumOptimizer,
    MomentumOptimizer as Momentum,
    MomentumOptimizer as MomentumOptimizer,
    RMSPropOptimizer as RMSPropOptimizer,
    SGDOptimizer as SGD,
    SGDOptimizer as SGDOptimizer,
)
from refluid.distributed.dgc_optimizer import DGCMomentumOptimizer as DGCMomentumOptimizer
from refluid.optim.lookahead import LookaheadOptimizer as LookaheadOptimizer
from refluid.optim.model_average import ModelAverage as ModelAverage
from refluid.optim.moving_average import ExponentialMovingAverage as ExponentialMovingAverage
from refluid.optim.pipeline import PipelineOptimizer as PipelineOptimizer
from refluid.optim.recompute import RecomputeOptimizer as RecomputeOptimizer
