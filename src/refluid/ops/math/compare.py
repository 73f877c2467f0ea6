"""Comparisons of two tensors, element by element or as a whole."""

from __future__ import annotations

from collections.abc import Callable

import torch

from refluid.ops.math.broadcasting import apply, infer_predicate, mixed_dtypes
from refluid.ops.registry import OpDef, Tensor, op


def comparison(name: str, function: Callable[[Tensor, Tensor], Tensor]) -> OpDef:
    def kernel(X: Tensor, Y: Tensor, *, axis: int = -1) -> Tensor:
        if X.dtype is torch.uint64 is Y.dtype:
            X, Y = _ordered(X), _ordered(Y)
        return apply(function, X, Y, axis)

    # force_cpu kept the result of a loop's condition out of the GPU; here the place of the inputs decides.
    definition = op("Out", type=name, lod="X", nograd="*", extra_attrs={"force_cpu": "BOOLEAN"})(kernel)
    definition.infer(infer_predicate)
    return definition


def _ordered(t: Tensor) -> Tensor:
    """uint64 as int64 in the same order, which torch can compare: the highest bit, there the sign, is flipped."""
    return t.view(torch.int64) ^ torch.iinfo(torch.int64).min


equal = comparison("equal", torch.eq)
not_equal = comparison("not_equal", torch.ne)
less_than = comparison("less_than", torch.lt)
less_equal = comparison("less_equal", torch.le)
greater_than = comparison("greater_than", torch.gt)
greater_equal = comparison("greater_equal", torch.ge)


# Fluid declares an axis for equal_reduce and compares whole tensors all the same.
@op("Out", lod=None, nograd="*", extra_attrs={"axis": "INT"})
def equal_reduce(X: Tensor, Y: Tensor) -> Tensor:
    """Out [1]: whether X and Y have the same elements, those of Y repeated along axes that it does not have."""
    if X.dtype is not Y.dtype:
        raise mixed_dtypes(X.dtype, Y.dtype)
    try:
        return torch.eq(X, Y).all().reshape(1)
    except RuntimeError:  # shapes that do not broadcast
        return X.new_zeros(1, dtype=torch.bool)


@op("Out", lod=None, nograd="*")
def allclose(
    Input: Tensor, Other: Tensor, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Out [1]: whether |Input - Other| <= atol + rtol * |Other| everywhere."""
    return torch.isclose(Input, Other, rtol=rtol, atol=atol, equal_nan=equal_nan).all().reshape(1)


@op("Out", lod=None, nograd="*")
def is_empty(X: Tensor) -> Tensor:
    """Out [1]: whether X has no elements."""
    return X.new_full((1,), X.numel() == 0, dtype=torch.bool)
