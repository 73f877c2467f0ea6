"""paddle.fluid.incubate.fleet.utils.hdfs: files in HDFS."""

from refluid.distributed.fleet.hdfs import HDFSClient as HDFSClient
from refluid.core.logs import get_logger as get_logger

__all__ = ["HDFSClient"]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
