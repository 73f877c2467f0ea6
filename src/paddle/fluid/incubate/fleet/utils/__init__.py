"""paddle.fluid.incubate.fleet.utils: files, metrics, meeting."""

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
