"""paddle.fluid.distributed: pslib before fluid.incubate; its server is no part of any public release of Fluid."""

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
