"""paddle.distributed: trainings of several processes."""

from paddle.distributed import fs_wrapper as fs_wrapper
