"""paddle.complex.tensor.math: arithmetic of ComplexVariables."""

from refluid.layers.complex_math import (
    elementwise_add as elementwise_add,
    elementwise_div as elementwise_div,
    elementwise_mul as elementwise_mul,
    elementwise_sub as elementwise_sub,
    kron as kron,
    sum as sum,
    trace as trace,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
