"""arg_max, arg_min: where the largest and the smallest elements stand."""

from __future__ import annotations

from refluid.core.dtypes import torch_dtype
from refluid.ops.registry import DType, Long, Tensor, op
from refluid.ops.shape.sizes import axis_of


def _as_wanted(places: Tensor, dtype: int) -> Tensor:
    places = places if places.dim() else places.reshape(1)
    return places if dtype < 0 else places.to(torch_dtype(dtype))


@op("Out", nograd="*", lod=None)
def arg_max(X: Tensor, *, axis: Long, keepdims: bool = False, dtype: DType = -1) -> Tensor:
    """Out is the place of the first largest element along axis; int64 unless dtype says otherwise."""
    return _as_wanted(X.argmax(axis_of(axis, X.dim()), keepdim=keepdims), dtype)


@op("Out", nograd="*", lod=None)
def arg_min(X: Tensor, *, axis: Long, keepdims: bool = False, dtype: DType = -1) -> Tensor:
    """Out is the place of the first smallest element along axis; int64 unless dtype says otherwise."""
    return _as_wanted(X.argmin(axis_of(axis, X.dim()), keepdim=keepdims), dtype)
