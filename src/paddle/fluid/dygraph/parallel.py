"""paddle.fluid.dygraph.parallel: training with several processes."""

from refluid.nn.parallel import (
    DataParallel as DataParallel,
    Env as Env,
    ParallelEnv as ParallelEnv,
    ParallelStrategy as ParallelStrategy,
    prepare_context as prepare_context,
)
