"""paddle.fluid.incubate.fleet.parameter_server.pslib: names alone; no public release has its server."""

from refluid.distributed.fleet.pslib import (
    DownpourOptimizer as DownpourOptimizer,
    PSLib as PSLib,
    fleet as fleet,
)
