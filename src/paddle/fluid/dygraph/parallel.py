"""paddle.fluid.dygraph.parallel: training with several processes."""

from refluid.distributed.data_parallel import (
    DataParallel as DataParallel,
    ParallelStrategy as ParallelStrategy,
    prepare_context as prepare_context,
)
from refluid.distributed.environment import Env as Env, ParallelEnv as ParallelEnv

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
