"""paddle.fluid.contrib: what was on its way into Fluid."""

from paddle.fluid.contrib import layers as layers, reader as reader
from refluid.data.readers.distributed import distributed_batch_reader as distributed_batch_reader
from refluid.layers.detection.suppression import multiclass_nms2 as multiclass_nms2
from refluid.layers.rnn import basic_gru as basic_gru, basic_lstm as basic_lstm
from refluid.nn.basic_units import BasicGRUUnit as BasicGRUUnit, BasicLSTMUnit as BasicLSTMUnit
