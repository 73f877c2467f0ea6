"""paddle.sysconfig: where C++ operators are built."""

from refluid.alpha.sysconfig import get_include as get_include, get_lib as get_lib

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
