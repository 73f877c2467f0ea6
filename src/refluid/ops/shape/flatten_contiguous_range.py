"""flatten_contiguous_range: consecutive axes become one. Models that were saved by Paddle 2 have it for nn.Flatten."""

from __future__ import annotations

import math
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.ops.registry import Shape, Tensor, op
from refluid.ops.shape.sizes import Sizes, axis_of, lod_if_rows_match, xshape


@op("Out XShape", intermediate="XShape", views="X")
def flatten_contiguous_range(X: Tensor, *, start_axis: int = 1, stop_axis: int = 1) -> tuple[Tensor, Tensor]:
    """The axes from start_axis to stop_axis, both included, become one; negative ones count from the end."""
    return X.reshape(_out_shape(X.shape, {"start_axis": start_axis, "stop_axis": stop_axis})), xshape(X)


@flatten_contiguous_range.grad
def flatten_contiguous_range_grad(XShape: Shape, Out_grad: Tensor) -> Tensor:
    return Out_grad.reshape(XShape[1:])


def _out_shape(shape: Sizes, attrs: dict[str, Any]) -> Sizes:
    first, last = (axis_of(attrs[name], len(shape), name) for name in ("start_axis", "stop_axis"))
    if first > last:
        raise ArgumentError(f"start_axis {attrs['start_axis']} must not come after stop_axis {attrs['stop_axis']}")
    return (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :])


flatten_contiguous_range.lods(lod_if_rows_match(_out_shape, 2))
