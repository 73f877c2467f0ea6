"""paddle.fluid.incubate.fleet: trainings of several processes."""

__version__ = "0.1.0"

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
