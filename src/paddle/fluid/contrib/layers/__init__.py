"""paddle.fluid.contrib.layers: layers that were on their way into Fluid."""

from paddle.fluid.contrib.layers import rnn_impl as rnn_impl
from refluid.layers.detection.suppression import multiclass_nms2 as multiclass_nms2
from refluid.layers.rnn import basic_gru as basic_gru, basic_lstm as basic_lstm
from refluid.nn.basic_units import BasicGRUUnit as BasicGRUUnit, BasicLSTMUnit as BasicLSTMUnit
