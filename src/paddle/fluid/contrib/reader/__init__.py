"""paddle.fluid.contrib.reader: readers for several processes."""

from paddle.fluid.contrib.reader import ctr_reader as ctr_reader, distributed_reader as distributed_reader
from refluid.data.readers.distributed import distributed_batch_reader as distributed_batch_reader

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
