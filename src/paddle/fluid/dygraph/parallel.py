"""paddle.fluid.dygraph.parallel: training with several processes."""

from refluid.nn.parallel import (
    DataParallel as DataParallel,
    Env as Env,
    ParallelEnv as ParallelEnv,
    ParallelStrategy as ParallelStrategy,
    prepare_context as prepare_context,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
