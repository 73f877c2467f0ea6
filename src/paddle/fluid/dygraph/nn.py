"""paddle.fluid.dygraph.nn: Layer classes."""

from refluid.nn.conv import Conv2D as Conv2D
from refluid.nn.dropout import Dropout as Dropout
from refluid.nn.embedding import Embedding as Embedding
from refluid.nn.linear import FC as FC, Linear as Linear
from refluid.nn.norm import BatchNorm as BatchNorm, LayerNorm as LayerNorm
from refluid.nn.pool import Pool2D as Pool2D
