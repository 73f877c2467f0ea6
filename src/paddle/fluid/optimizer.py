"""paddle.fluid.optimizer: optimizers."""

from refluid.optim.adam import AdamOptimizer as AdamOptimizer
from refluid.optim.sgd import SGDOptimizer as SGDOptimizer
