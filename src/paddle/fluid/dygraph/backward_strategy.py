"""paddle.fluid.dygraph.backward_strategy: settings of backward."""

from refluid.eager.strategy import BackwardStrategy as BackwardStrategy
