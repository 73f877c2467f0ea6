"""paddle.fluid.incubate.fleet.utils.hdfs: files in HDFS."""

from refluid.distributed.fleet.hdfs import HDFSClient as HDFSClient

__all__ = ["HDFSClient"]
