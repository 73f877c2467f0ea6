"""paddle.fluid.contrib: what was on its way into Fluid."""

from paddle.fluid.contrib import reader as reader
from refluid.data.readers.distributed import distributed_batch_reader as distributed_batch_reader
