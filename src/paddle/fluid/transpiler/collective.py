"""paddle.fluid.transpiler.collective: trainers that sum gradients among themselves."""

from refluid.distributed.transpile.collective import (
    Collective as Collective,
    GradAllReduce as GradAllReduce,
    LocalSGD as LocalSGD,
    SingleProcessMultiThread as SingleProcessMultiThread,
)

__all__ = ["GradAllReduce", "LocalSGD"]
