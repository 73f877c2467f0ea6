"""paddle.fluid.incubate.fleet.base.fleet_base: the base of fleets and their optimizers."""

from refluid.distributed.fleet.base import (
    DistributedOptimizer as DistributedOptimizer,
    Fleet as Fleet,
    Mode as Mode,
)

__all__ = ["DistributedOptimizer", "Fleet", "Mode"]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
