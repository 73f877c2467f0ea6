"""paddle.fluid.dygraph.static_runner: saved models as layers (2.0-alpha)."""

from refluid.jit.static_runner import StaticModelRunner as StaticModelRunner

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
