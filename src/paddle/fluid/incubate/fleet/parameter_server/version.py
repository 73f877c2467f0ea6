"""paddle.fluid.incubate.fleet.parameter_server.version: which servers there are."""

from refluid.distributed.fleet.base import Mode as Mode
from refluid.distributed.fleet.servers import BUILD_MODE as BUILD_MODE, is_transpiler as is_transpiler

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
