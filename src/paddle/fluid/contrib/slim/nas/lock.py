"""paddle.fluid.contrib.slim.nas.lock: a lock that processes share."""

from refluid.contrib.slim.nas.lock import lock as lock, unlock as unlock
