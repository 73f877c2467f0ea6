"""paddle.fluid.transpiler.details.checkport: waiting for servers."""

from refluid.distributed.transpile.details import wait_server_ready as wait_server_ready
