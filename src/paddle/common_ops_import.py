"""paddle.common_ops_import: what modules of 2.0-alpha import to define functions."""

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
