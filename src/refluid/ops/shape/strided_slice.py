"""strided_slice: every n-th element of a range, along some axes; the range may run backwards."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import INDICES, LoD, Shape, Tensor, op
from refluid.ops.rows import unless_first
from refluid.ops.shape.sizes import Sizes, axis_of, sizes_from
from refluid.ops.shape.slice import squeezed_shape

_INDEX_SLOTS = {
    name: INDICES
    for name in (
        "StartsTensor", "EndsTensor", "StridesTensor", "StartsTensorList", "EndsTensorList", "StridesTensorList",
    )
}  # fmt: skip


def ranges(shape: Sizes, axes: Sizes, starts: Sizes, ends: Sizes, strides: Sizes) -> list[tuple[int, range]]:
    """The indices of every sliced axis, by Python's rules for slices."""
    if not len(axes) == len(starts) == len(ends) == len(strides):
        raise ArgumentError(
            "axes, starts, ends and strides must have the same length, "
            f"got {len(axes)}, {len(starts)}, {len(ends)}, {len(strides)}"
        )
    cuts = []
    for axis, start, end, stride in zip(axes, starts, ends, strides, strict=True):
        if stride == 0:
            raise ArgumentError(f"strides must not be 0, got {list(strides)}")
        axis = axis_of(axis, len(shape), "axes")
        indices = range(shape[axis])[start:end:stride]
        if not indices and shape[axis]:
            raise ShapeError(
                f"starts={start}, ends={end}, strides={stride} select nothing of axis {axis} of size {shape[axis]}"
            )
        cuts.append((axis, indices))
    return cuts


def _view(t: Tensor, cuts: list[tuple[int, range]]) -> tuple[Tensor, list[int]]:
    """The elements in ascending order, and the axes to flip (torch has no negative strides)."""
    index = [slice(None)] * t.dim()
    flipped = []
    for axis, places in cuts:
        if places.step < 0:
            places = places[::-1]
            flipped.append(axis)
        index[axis] = slice(places.start, places.stop, places.step)
    return t[tuple(index)], flipped


@op("Out", dtypes=_INDEX_SLOTS, keeps_rows=unless_first("axes"), views="Input")
def strided_slice(
    Input: Tensor,
    StartsTensor: Tensor | None = None,
    EndsTensor: Tensor | None = None,
    StridesTensor: Tensor | None = None,
    StartsTensorList: list[Tensor] | None = None,
    EndsTensorList: list[Tensor] | None = None,
    StridesTensorList: list[Tensor] | None = None,
    *,
    axes: list[int],
    starts: list[int] = [],
    ends: list[int] = [],
    strides: list[int] = [],
    infer_flags: list[int] = [],
    decrease_axis: list[int] = [],
) -> Tensor:
    """Out = Input[.., starts[i]:ends[i]:strides[i], ..] along axes[i]."""
    starts, ends = sizes_from(starts, StartsTensor, StartsTensorList), sizes_from(ends, EndsTensor, EndsTensorList)
    strides = sizes_from(strides, StridesTensor, StridesTensorList)
    out, flipped = _view(Input, ranges(Input.shape, axes, starts, ends, strides))
    if flipped:
        out = out.flip(flipped)
    return out.reshape(squeezed_shape(out.shape, decrease_axis)) if decrease_axis else out


@strided_slice.grad
def strided_slice_grad(
    Input: Shape,
    StartsTensor: Tensor | None,
    EndsTensor: Tensor | None,
    StridesTensor: Tensor | None,
    StartsTensorList: list[Tensor] | None,
    EndsTensorList: list[Tensor] | None,
    StridesTensorList: list[Tensor] | None,
    Out_grad: Tensor,
    *,
    axes: list[int],
    starts: list[int],
    ends: list[int],
    strides: list[int],
) -> Tensor:
    starts, ends = sizes_from(starts, StartsTensor, StartsTensorList), sizes_from(ends, EndsTensor, EndsTensorList)
    strides = sizes_from(strides, StridesTensor, StridesTensorList)
    grad = Out_grad.new_zeros(Input)
    taken, flipped = _view(grad, ranges(Input, axes, starts, ends, strides))
    out_grad = Out_grad.reshape(taken.shape)
    taken.copy_(out_grad.flip(flipped) if flipped else out_grad)
    return grad


@strided_slice.infer
def _spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    spec, *tensors = inputs
    shape = list(spec.shape)
    for i, axis in enumerate(attrs["axes"]):
        axis = axis_of(axis, len(shape), "axes")
        known = not any(tensors) or (not any(tensors[:3]) and attrs["infer_flags"][i : i + 1] == [1])
        if shape[axis] < 0 or not known:
            shape[axis] = -1
        else:
            bounds = (attrs[name][i : i + 1] for name in ("starts", "ends", "strides"))
            shape[axis] = len(ranges(spec.shape, [axis], *bounds)[0][1])
    return [(tuple(squeezed_shape(shape, attrs["decrease_axis"])), spec.dtype)]


@strided_slice.lods
def _lods(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    return [None if 0 in attrs["axes"] else ins[0]]
