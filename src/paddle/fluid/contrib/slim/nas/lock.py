"""paddle.fluid.contrib.slim.nas.lock: a lock that processes share."""

from refluid.contrib.slim.nas.lock import lock as lock, unlock as unlock

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
