"""paddle.fluid.incubate.fleet.parameter_server: workers with servers."""

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
