"""paddle.fluid.transpiler.details.checkport: waiting for servers."""

from refluid.distributed.transpile.details import wait_server_ready as wait_server_ready

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
