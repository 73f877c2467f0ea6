"""paddle.incubate.hapi.distributed: shares of a data set."""

from refluid.hapi.distributed import DistributedBatchSampler as DistributedBatchSampler

__all__ = ["DistributedBatchSampler"]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
