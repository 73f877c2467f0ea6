"""paddle.fluid.layers.tensor: making and joining tensors."""

from refluid.layers.compare import has_inf as has_inf, has_nan as has_nan, isfinite as isfinite
from refluid.layers.math import kron as kron, sums as sums, trace as trace
