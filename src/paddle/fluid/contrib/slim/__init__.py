"""paddle.fluid.contrib.slim: smaller models."""

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
