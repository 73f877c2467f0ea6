"""arg_max, arg_min: the indices of the largest and the smallest elements."""

from __future__ import annotations

from refluid.core.dtypes import torch_dtype
from refluid.ops.registry import DType, Long, Tensor, op
from refluid.ops.shape.sizes import axis_of


def _as_dtype(indices: Tensor, dtype: int) -> Tensor:
    indices = indices if indices.dim() else indices.reshape(1)
    return indices if dtype < 0 else indices.to(torch_dtype(dtype))


@op("Out", nograd="*", lod=None)
def arg_max(X: Tensor, *, axis: Long, keepdims: bool = False, dtype: DType = -1) -> Tensor:
    """Out is the index of the first largest element along axis; int64 unless dtype says otherwise."""
    return _as_dtype(X.argmax(axis_of(axis, X.dim()), keepdim=keepdims), dtype)


@op("Out", nograd="*", lod=None)
def arg_min(X: Tensor, *, axis: Long, keepdims: bool = False, dtype: DType = -1) -> Tensor:
    """Out is the index of the first smallest element along axis; int64 unless dtype says otherwise."""
    return _as_dtype(X.argmin(axis_of(axis, X.dim()), keepdim=keepdims), dtype)
