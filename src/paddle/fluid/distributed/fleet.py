"""paddle.fluid.distributed.fleet: the fleet of pslib."""

from refluid.distributed.fleet.pslib import OldFleet as Fleet

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
