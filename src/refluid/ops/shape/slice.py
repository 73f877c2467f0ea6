"""slice: a box of a tensor, some of whose axes may be removed."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import INDICES, LoD, Shape, Tensor, op
from refluid.ops.rows import unless_first
from refluid.ops.shape.sizes import Sizes, axis_of, sizes_from

_INDEX_SLOTS = {name: INDICES for name in ("StartsTensor", "EndsTensor", "StartsTensorList", "EndsTensorList")}


def box(shape: Sizes, axes: Sizes, starts: Sizes, ends: Sizes) -> list[tuple[int, int, int]]:
    """(axis, start, length) of every sliced axis. Negative bounds count from the end and are clamped."""
    if not len(axes) == len(starts) == len(ends):
        raise ArgumentError(
            f"axes, starts and ends must have the same length, got {len(axes)}, {len(starts)}, {len(ends)}"
        )
    cuts = []
    for axis, start, end in zip(axes, starts, ends, strict=True):
        axis = axis_of(axis, len(shape), "axes")
        size = shape[axis]
        first = max(start + size, 0) if start < 0 else start
        last = end + size if end < 0 else min(end, size)
        if last <= first and size:
            raise ShapeError(f"starts={start} and ends={end} select nothing of axis {axis}, which has size {size}")
        cuts.append((axis, first, max(last - first, 0)))
    return cuts


def squeezed_shape(shape: Sizes, decrease_axis: Sizes) -> list[int]:
    """The shape without the removed axes; at least one axis stays."""
    for a in decrease_axis:
        if shape[a] not in (1, -1):
            raise ShapeError(f"only axes of size 1 can be dropped, but axis {a} of the slice has size {shape[a]}")
    return [n for i, n in enumerate(shape) if i not in decrease_axis] or [1]


@op("Out", dtypes=_INDEX_SLOTS, late="StartsTensorList EndsTensorList", keeps_rows=unless_first("axes"), views="Input")
def slice(
    Input: Tensor,
    StartsTensor: Tensor | None = None,
    EndsTensor: Tensor | None = None,
    StartsTensorList: list[Tensor] | None = None,
    EndsTensorList: list[Tensor] | None = None,
    *,
    axes: list[int],
    starts: list[int] = [],
    ends: list[int] = [],
    infer_flags: list[int] = [],
    decrease_axis: list[int] = [],
) -> Tensor:
    """Out = Input[.., starts[i]:ends[i], ..] along axes[i]; the axes in decrease_axis, then of size 1, are removed."""
    if len(axes) == 1 and axes == decrease_axis and StartsTensor is None and not StartsTensorList and Input.dim() > 1:
        axis, start = axes[0], starts[0]
        if 0 <= axis < Input.dim() and -Input.shape[axis] <= start < Input.shape[axis]:
            if ends[0] == start + 1 or (start == -1 and ends[0] > 0):
                return Input.select(axis, start)  # the t-th of a sequence
    out = Input
    starts, ends = sizes_from(starts, StartsTensor, StartsTensorList), sizes_from(ends, EndsTensor, EndsTensorList)
    for axis, start, length in box(Input.shape, axes, starts, ends):
        out = out.narrow(axis, start, length)
    return out.reshape(squeezed_shape(out.shape, decrease_axis)) if decrease_axis else out


@slice.grad
def slice_grad(
    Input: Shape,
    StartsTensor: Tensor | None,
    EndsTensor: Tensor | None,
    StartsTensorList: list[Tensor] | None,
    EndsTensorList: list[Tensor] | None,
    Out_grad: Tensor,
    *,
    axes: list[int],
    starts: list[int],
    ends: list[int],
) -> Tensor:
    starts, ends = sizes_from(starts, StartsTensor, StartsTensorList), sizes_from(ends, EndsTensor, EndsTensorList)
    shape, pads = list(Input), [0] * (2 * len(Input))  # from the last axis to the first: before it, after it
    for axis, start, length in box(Input, axes, starts, ends):
        pad = 2 * (len(shape) - 1 - axis)
        pads[pad], pads[pad + 1] = start, shape[axis] - start - length
        shape[axis] = length
    return torch.constant_pad_nd(Out_grad.reshape(shape), pads)


@slice_grad.adds("Input")
def add_input(
    total: Tensor,
    Input: Shape,
    StartsTensor: Tensor | None,
    EndsTensor: Tensor | None,
    StartsTensorList: list[Tensor] | None,
    EndsTensorList: list[Tensor] | None,
    Out_grad: Tensor,
    *,
    axes: list[int],
    starts: list[int],
    ends: list[int],
) -> bool:
    starts, ends = sizes_from(starts, StartsTensor, StartsTensorList), sizes_from(ends, EndsTensor, EndsTensorList)
    if len(axes) == 1 and Out_grad.dim() < total.dim() and StartsTensor is None and not StartsTensorList:
        total.select(axes[0], starts[0]).add_(Out_grad)
        return True
    part = total
    for axis, start, length in box(Input, axes, starts, ends):
        part = part.narrow(axis, start, length)
    part.add_(Out_grad.reshape(part.shape))
    return True


@slice.infer
def _spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    spec, *tensors = inputs
    axes, starts, ends = attrs["axes"], attrs["starts"], attrs["ends"]
    shape = list(spec.shape)
    for i, axis in enumerate(axes):
        axis = axis_of(axis, len(shape), "axes")
        known = not any(tensors) or (i < len(attrs["infer_flags"]) and attrs["infer_flags"][i] == 1)
        if shape[axis] < 0 or not known:
            shape[axis] = -1
        else:
            shape[axis] = box(spec.shape, [axis], starts[i : i + 1], ends[i : i + 1])[0][2]
    return [(tuple(squeezed_shape(shape, attrs["decrease_axis"])), spec.dtype)]


@slice.lods
def _lods(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    return [None if 0 in attrs["axes"] else ins[0]]
