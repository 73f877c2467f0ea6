"""split: parts of a tensor along an axis."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.backward_ops import BackwardOp, Call, from_x_to_out
from refluid.ops.registry import INDICES, LoD, Tensor, op
from refluid.ops.rows import unless_first
from refluid.ops.shape.sizes import Sizes, axis_of


def parts(size: int, num: int, sections: Sizes) -> list[int]:
    """The sizes of the parts; one of the sections may be -1 and takes the rest. `size` may be unknown (-1)."""
    if num > 0:
        if size >= 0 and size % num:
            raise ShapeError(f"an axis of size {size} cannot be split into num={num} equal parts")
        return [size // num if size >= 0 else -1] * num
    if not sections:
        raise ArgumentError("num or sections must be given")
    if sum(n == -1 for n in sections) > 1 or any(n < -1 for n in sections):
        raise ArgumentError(f"sections may have one -1 and no other negative size, got {list(sections)}")
    if size < 0:
        return list(sections)
    rest = size - sum(n for n in sections if n != -1)
    if rest < 0 or (rest and -1 not in sections):
        raise ShapeError(f"sections {list(sections)} do not add up to the size {size} of the axis")
    return [rest if n == -1 else n for n in sections]


@op(
    "Out",
    duplicable="Out",
    dtypes={"AxisTensor": INDICES, "SectionsTensorList": INDICES},
    keeps_rows=unless_first("axis"),
    views="X",
)
def split(
    X: Tensor,
    AxisTensor: Tensor | None = None,
    SectionsTensorList: list[Tensor] | None = None,
    *,
    sections: list[int] = [],
    num: int = 0,
    axis: int = 0,
) -> list[Tensor]:
    """Out are num equal parts of X along axis, or parts of the sizes in sections."""
    axis = axis_of(axis if AxisTensor is None else int(AxisTensor), X.dim())
    if SectionsTensorList:
        sections = [int(t) for t in SectionsTensorList]
    return list(X.split_with_sizes(parts(X.shape[axis], num, sections), axis))


@split.grad
def split_grad(AxisTensor: Tensor | None, Out_grad: list[Tensor], *, axis: int) -> Tensor:
    return torch.cat(Out_grad, axis if AxisTensor is None else int(AxisTensor))


@split.gradient_ops
def _concatenated(op: Call) -> list[BackwardOp]:
    return [] if op.input("AxisTensor") else from_x_to_out(op, "concat", {"axis": op.attrs["axis"]})


@split.infer
def _specs(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x, axis_tensor, section_tensors = inputs
    rank, num, sections = len(x.shape), attrs["num"], attrs["sections"]
    if axis_tensor is not None:
        return [[type(x)((-1,) * rank, x.dtype)] * (num or len(section_tensors or sections))]
    axis = axis_of(attrs["axis"], rank)
    sizes = list(sections) if section_tensors else parts(x.shape[axis], num, sections)
    return [[type(x)((*x.shape[:axis], n, *x.shape[axis + 1 :]), x.dtype) for n in sizes]]


@split.lods
def _lods(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    axis = attrs["axis"] if values[1] is None else int(values[1])
    return [ins[0] if axis % values[0].dim() else None]
