"""paddle.fluid.dygraph.backward_strategy: how gradients add up."""

from refluid.eager.strategy import BackwardStrategy as BackwardStrategy

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
