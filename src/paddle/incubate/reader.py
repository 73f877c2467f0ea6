"""paddle.incubate.reader: readers for several processes."""

from refluid.data.readers.distributed import distributed_batch_reader as distributed_batch_reader
