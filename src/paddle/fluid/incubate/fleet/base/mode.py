"""paddle.fluid.incubate.fleet.base.mode: modes of fleet."""

from refluid.distributed.fleet.base import Mode as Mode

__all__ = ["Mode"]
