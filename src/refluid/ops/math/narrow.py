"""Products with few columns, such as those of a classifier with ten classes.

A row of such a result is less than a vector of the processor, and the kernel library is slow at it: the product of
256 x 400 with 400 x 2 takes 73 us, and 14 us where the columns of the second lie one after the other in memory; its
gradient takes 72 us, and 8 us transposed.
"""

from __future__ import annotations

import math

import torch

_FEW = 16  # columns; from there on nothing is gained
_MANY = 64  # rows; below that, the copy takes what is gained


def for_product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The matrix y, in a memory layout with which x.y is fast."""
    return y.t().contiguous().t() if 1 < y.shape[-1] < _FEW and math.prod(x.shape[:-1]) >= _MANY else y


def weight_grad(x: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
    """The gradient of y in x.y, all of them matrices."""
    if 1 < grad.shape[1] < _FEW and grad.shape[0] >= _MANY:
        return torch.mm(grad.t(), x).t().contiguous()
    return torch.mm(x.t(), grad)
