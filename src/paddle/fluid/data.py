"""paddle.fluid.data: the module of fluid.data."""

from refluid.layers.data import fluid_data as data

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
