"""paddle.distributed: trainings of several processes."""

from paddle.distributed import fs_wrapper as fs_wrapper

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
