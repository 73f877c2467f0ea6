"""paddle.fluid.distributed.ps_instance: servers and workers of pslib."""

from refluid.distributed.fleet.mpi import MPIHelper as MPIHelper
from refluid.distributed.fleet.pslib import PaddlePSInstance as PaddlePSInstance

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
