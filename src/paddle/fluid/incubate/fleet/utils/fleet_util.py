"""paddle.fluid.incubate.fleet.utils.fleet_util: metrics over all workers."""

from refluid.distributed.fleet.util import FleetUtil as FleetUtil

__all__ = ["FleetUtil"]
