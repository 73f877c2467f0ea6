"""paddle.nn.layer.common: full connection, lookup, pooling, resizing."""

from refluid.alpha.nn.common import UpSample as UpSample
from refluid.nn.bilinear import BilinearTensorProduct as BilinearTensorProduct
from refluid.nn.embedding import Embedding as Embedding
from refluid.nn.linear import Linear as Linear
from refluid.nn.pool import Pool2D as Pool2D
