"""paddle.fluid.incubate.fleet.parameter_server.pslib.node: settings of servers and workers."""

from refluid.distributed.fleet.pslib import (
    DownpourServer as DownpourServer,
    DownpourWorker as DownpourWorker,
    Server as Server,
    Worker as Worker,
)
