"""paddle.tensor.stat: statistics."""

from refluid.alpha.tensor.stat import std as std, var as var
from refluid.layers.reduce import mean as mean, reduce_mean as reduce_mean
