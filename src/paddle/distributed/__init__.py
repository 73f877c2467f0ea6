"""paddle.distributed: trainings of several processes."""

from paddle.distributed import cloud_utils as cloud_utils, fs_wrapper as fs_wrapper, utils as utils

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
