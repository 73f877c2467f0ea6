"""paddle.fluid.dygraph.backward_strategy: how gradients add up."""

from refluid.eager.strategy import BackwardStrategy as BackwardStrategy
