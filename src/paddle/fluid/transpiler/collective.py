"""paddle.fluid.transpiler.collective: trainers that sum gradients among themselves."""

from refluid.ir.roles import OpRole as OpRole
from refluid.distributed.transpile.collective import (
    Collective as Collective,
    GradAllReduce as GradAllReduce,
    LocalSGD as LocalSGD,
    SingleProcessMultiThread as SingleProcessMultiThread,
)

__all__ = ["GradAllReduce", "LocalSGD"]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
