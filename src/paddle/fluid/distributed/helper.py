"""paddle.fluid.distributed.helper: files and numbers of pslib."""

from refluid.distributed.fleet.mpi import MPIHelper as MPIHelper
from refluid.distributed.fleet.pslib import FileSystem as FileSystem

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
