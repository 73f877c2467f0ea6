"""paddle.fluid.dygraph.jit: from imperative layers to programs."""

from refluid.jit.function import declarative as declarative, dygraph_to_static_func as dygraph_to_static_func
from refluid.jit.traced import TracedLayer as TracedLayer

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
