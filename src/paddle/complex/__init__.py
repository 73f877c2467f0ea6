"""paddle.complex: functions of ComplexVariables (1.8)."""

from paddle.complex import helper as helper, tensor as tensor

from refluid.layers.complex_math import (
    elementwise_add as elementwise_add,
    elementwise_div as elementwise_div,
    elementwise_mul as elementwise_mul,
    elementwise_sub as elementwise_sub,
    kron as kron,
    matmul as matmul,
    reshape as reshape,
    sum as sum,
    trace as trace,
    transpose as transpose,
)
