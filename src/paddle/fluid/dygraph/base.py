"""paddle.fluid.dygraph.base: switching the imperative mode."""

from refluid.eager.base import (
    disable_dygraph as disable_dygraph,
    enable_dygraph as enable_dygraph,
    enabled as enabled,
    guard as guard,
    no_grad as no_grad,
    to_variable as to_variable,
)
from refluid.eager.grad import grad as grad
