"""paddle.fluid.dygraph.nn: Layer classes."""

from refluid.nn.conv import Conv2D as Conv2D
from refluid.nn.linear import Linear as Linear
from refluid.nn.pool import Pool2D as Pool2D
