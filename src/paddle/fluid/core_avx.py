"""paddle.fluid.core_avx: paddle.fluid.core under the name of its library."""

from paddle.fluid.core import *  # noqa: F403

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
