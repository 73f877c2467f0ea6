"""paddle.incubate.hapi.distributed: shares of a data set."""

from refluid.hapi.distributed import DistributedBatchSampler as DistributedBatchSampler

__all__ = ["DistributedBatchSampler"]
