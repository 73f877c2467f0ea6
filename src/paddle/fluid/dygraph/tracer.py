"""paddle.fluid.dygraph.tracer: what runs operators in the imperative mode."""

from refluid.eager.tracer import Tracer as Tracer

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
