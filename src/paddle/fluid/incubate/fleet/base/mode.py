"""paddle.fluid.incubate.fleet.base.mode: modes of fleet."""

from refluid.distributed.fleet.base import Mode as Mode

__all__ = ["Mode"]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
