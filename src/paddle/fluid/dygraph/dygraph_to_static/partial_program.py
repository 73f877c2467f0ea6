"""paddle.fluid.dygraph.dygraph_to_static.partial_program: a program as one step of the imperative graph."""

from refluid.jit.partial import Partial as PartialProgramLayer

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
