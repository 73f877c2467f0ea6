"""The optimizers of paddle.optimizer: in the imperative mode they demand the list of what they update."""

from __future__ import annotations

from refluid.optim import adadelta, adagrad, adam, adamax, dpsgd, ftrl, lamb, momentum, rmsprop, sgd


class AdadeltaOptimizer(adadelta.AdadeltaOptimizer):
    demands_parameters = True


class AdagradOptimizer(adagrad.AdagradOptimizer):
    demands_parameters = True


class AdamOptimizer(adam.AdamOptimizer):
    demands_parameters = True


class AdamaxOptimizer(adamax.AdamaxOptimizer):
    demands_parameters = True


class DecayedAdagradOptimizer(adagrad.DecayedAdagradOptimizer):
    demands_parameters = True


class DpsgdOptimizer(dpsgd.DpsgdOptimizer):
    demands_parameters = True


class FtrlOptimizer(ftrl.FtrlOptimizer):
    demands_parameters = True


class LambOptimizer(lamb.LambOptimizer):
    demands_parameters = True


class LarsMomentumOptimizer(momentum.LarsMomentumOptimizer):
    demands_parameters = True


class MomentumOptimizer(momentum.MomentumOptimizer):
    demands_parameters = True


class RMSPropOptimizer(rmsprop.RMSPropOptimizer):
    demands_parameters = True


class SGDOptimizer(sgd.SGDOptimizer):
    demands_parameters = True
