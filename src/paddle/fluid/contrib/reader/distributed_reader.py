"""paddle.fluid.contrib.reader.distributed_reader: readers for several processes."""

from refluid.data.readers.distributed import distributed_batch_reader as distributed_batch_reader
