"""Products of two matrices, by the library and in the layout that are fastest for them.

Large ones: torch multiplies matrices of float32 by MKL, which uses vectors of half the width on processors of other
makers than its own. There oneDNN takes half of MKL's time for large matrices. It compiles a kernel for sizes that it
has not seen, which takes about as long as MKL's product of `_LEAST`: from there on even sizes that never come again
lose nothing.

Few columns, such as those of a classifier with ten classes: a row of the result is less than a vector of the processor,
and MKL is slow at it. The product of 256 x 400 with 400 x 2 takes 73 us, and 14 us where the columns of the second lie
one after the other in memory; its gradient takes 72 us, and 8 us transposed.

The choice depends on the sizes alone, never on what ran before: a training that is resumed gives the same bits.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from refluid.ops.registry import Tensor

_LEAST = 1 << 25  # multiplications
_FEW = 16  # columns; from there on nothing is gained
_MANY = 64  # rows; below that, the copy takes what is gained


def mm(x: Tensor, y: Tensor) -> Tensor:
    """x.y"""
    if x.numel() * y.size(-1) >= _LEAST and _suit_onednn(x, y):
        return _onednn()(x, y.t(), None, "none", [], "")
    return torch.mm(x, for_product(x, y))


def addmm(bias: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """x.y + bias"""
    if x.numel() * y.size(-1) >= _LEAST and _suit_onednn(x, y) and bias.shape == y.shape[1:]:
        return _onednn()(x, y.t(), bias, "none", [], "")
    return torch.addmm(bias, x, for_product(x, y))


def matmul(x: Tensor, y: Tensor) -> Tensor:
    """torch.matmul; where y is a matrix, all axes of x but the last are rows of one product."""
    if y.dim() != 2 or x.dim() < 2:
        return torch.matmul(x, y)
    if x.numel() * y.size(1) >= _LEAST and x.size(-1) == y.size(0):
        return mm(x.reshape(-1, x.size(-1)), y).view(*x.shape[:-1], y.size(1))
    return torch.matmul(x, for_product(x, y))


def weight_grad(x: Tensor, grad: Tensor) -> Tensor:
    """The gradient of y in x.y, all of them matrices."""
    if 1 < grad.shape[1] < _FEW and grad.shape[0] >= _MANY:
        return mm(grad.t(), x).t().contiguous()
    return mm(x.t(), grad)


def for_product(x: Tensor, y: Tensor) -> Tensor:
    """The matrix y, in a memory layout with which x.y is fast."""
    return y.t().contiguous().t() if 1 < y.shape[-1] < _FEW and math.prod(x.shape[:-1]) >= _MANY else y


def _suit_onednn(x: Tensor, y: Tensor) -> bool:
    """Whether oneDNN is the faster and takes them: it knows no autograd, and `y` must be dense either way round."""
    return (
        x.dtype is y.dtype is torch.float32
        and x.is_cpu
        and not (x.requires_grad or y.requires_grad)
        and x.dim() == y.dim() == 2
        and x.size(1) == y.size(0)
        and (y.is_contiguous() or y.t().is_contiguous())
        and _mkl_is_slower()
    )


@functools.cache
def _onednn() -> Callable[..., Any]:
    return torch.ops.mkldnn._linear_pointwise.default._op


@functools.cache
def _mkl_is_slower() -> bool:
    """Whether the processor has vectors of 512 bits and is of another maker than MKL."""
    if not torch.backends.mkldnn.is_available() or torch.backends.cpu.get_cpu_capability() != "AVX512":
        return False
    try:
        return "GenuineIntel" not in Path("/proc/cpuinfo").read_text()
    except OSError:
        return False
