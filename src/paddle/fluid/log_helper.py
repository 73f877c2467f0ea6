"""paddle.fluid.log_helper: loggers."""

from refluid.core.logs import get_logger as get_logger

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
