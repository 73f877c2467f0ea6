"""paddle.fluid.annotations: marking what is old."""

from refluid.core.decorators import deprecated as deprecated

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
