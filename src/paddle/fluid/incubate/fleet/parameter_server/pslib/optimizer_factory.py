"""paddle.fluid.incubate.fleet.parameter_server.pslib.optimizer_factory: optimizers with tables on servers."""

from refluid.distributed.fleet.pslib import DistributedAdam as DistributedAdam
