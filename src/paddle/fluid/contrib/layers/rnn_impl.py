"""paddle.fluid.contrib.layers.rnn_impl: layers of recurrent cells."""

from refluid.layers.rnn import basic_gru as basic_gru, basic_lstm as basic_lstm
from refluid.nn.basic_units import BasicGRUUnit as BasicGRUUnit, BasicLSTMUnit as BasicLSTMUnit

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
