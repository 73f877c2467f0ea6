"""paddle.fluid.backward: gradients of programs."""

from refluid.autodiff.backward import (
    append_backward as append_backward,
    calc_gradient as calc_gradient,
    gradients as gradients,
)
