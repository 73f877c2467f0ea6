"""paddle.sysconfig: where C++ operators are built."""

from refluid.alpha.sysconfig import get_include as get_include, get_lib as get_lib
