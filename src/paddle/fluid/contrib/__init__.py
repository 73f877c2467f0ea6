"""paddle.fluid.contrib: what was on its way into Fluid."""

from paddle.fluid.contrib import reader as reader
from refluid.data.readers.distributed import distributed_batch_reader as distributed_batch_reader
from refluid.layers.detection.suppression import multiclass_nms2 as multiclass_nms2
