"""paddle.fluid.incubate.fleet.base: what all modes have in common."""

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
