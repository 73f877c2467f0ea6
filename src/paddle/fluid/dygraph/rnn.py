"""paddle.fluid.dygraph.rnn: cells (2.0-alpha)."""

from refluid.nn.cells import GRUCell as GRUCell, LSTMCell as LSTMCell
