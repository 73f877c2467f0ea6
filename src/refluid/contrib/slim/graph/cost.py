"""How many operations an operator takes for one sample."""

from __future__ import annotations

import numpy as np

from refluid.contrib.slim.quantization.operators import CONVOLUTIONS
from refluid.ir.operator import Operator


def count_operations(op: Operator, only_conv: bool = False) -> float:
    """As Fluid counts them: a multiplication and an addition are two."""
    if op.type in CONVOLUTIONS:
        return _convolution(op)
    if only_conv:
        return 0
    if op.type == "pool2d":
        _, channels, height, width = _shape(op, "Out")
        return height * width * channels * op.attr("ksize")[0] ** 2
    if op.type == "mul":
        x, y = _shape(op, "X"), _shape(op, "Y")
        return 2 * abs(x[0]) * x[1] * y[1]
    if op.type in ("relu", "sigmoid", "batch_norm"):
        first, *rest = _shape(op, "X")
        return int((1 if first == -1 else first) * np.prod(rest))
    return 0


def _convolution(op: Operator) -> float:
    filters, in_channels, kernel_height, kernel_width = _shape(op, "Filter")
    _, _, height, width = _shape(op, "Output")
    # Fluid divides by the groups, though a filter's second size is already that of one group.
    for_one = kernel_height * kernel_width * (in_channels / op.attr("groups")) + bool(op.input("Bias"))
    return 2 * height * width * filters * for_one


def _shape(op: Operator, slot: str) -> tuple[int, ...]:
    (name, *_) = op.input(slot) or op.output(slot)
    return op.block._var_recursive(name).shape
