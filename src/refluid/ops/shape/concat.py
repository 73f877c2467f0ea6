"""concat: tensors joined along an axis."""

from __future__ import annotations

from itertools import chain
from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.pointwise import Code, NoCode, Operand
from refluid.ops.registry import INDICES, LoD, Shape, Tensor, op
from refluid.ops.rows import unless_first
from refluid.ops.shape.alike import check_one_dtype
from refluid.ops.shape.sizes import axis_of


@op(
    "Out",
    dtypes={"AxisTensor": INDICES},
    fresh=True,
    grad_hints="use_mkldnn use_quantizer",
    keeps_rows=unless_first("axis"),
)
def concat(X: list[Tensor], AxisTensor: Tensor | None = None, *, axis: int = 0) -> Tensor:
    """Out has the inputs one after the other along axis; all other sizes must be the same."""
    if AxisTensor is not None:
        axis = int(AxisTensor)
    axis = axis_of(axis, X[0].dim())
    check_one_dtype(X)
    try:
        return torch.cat(X, axis)
    except RuntimeError:
        _check(X, axis)
        raise


@concat.pointwise
def _(code: Code, X: list[Operand], AxisTensor: Operand | None, *, axis: int = 0) -> Operand:
    if AxisTensor is not None:
        raise NoCode
    return code.side_by_side(X, axis)


def _check(X: list[Tensor], axis: int) -> None:
    first = X[0].shape
    for i, x in enumerate(X):
        if x.dim() != len(first) or any(
            m != n for k, (m, n) in enumerate(zip(x.shape, first, strict=True)) if k != axis
        ):
            raise ShapeError(
                f"X[{i}] of shape {list(x.shape)} does not match X[0] of shape {list(first)} off axis {axis}"
            )


@concat.grad
def concat_grad(X: list[Shape], AxisTensor: Tensor | None, Out_grad: Tensor, *, axis: int) -> list[Tensor]:
    axis = axis if AxisTensor is None else int(AxisTensor)
    return list(Out_grad.split_with_sizes([x[axis] for x in X], axis))


@concat.infer
def _spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    xs, axis_tensor = inputs
    check_one_dtype(xs)
    rank, dtype = len(xs[0].shape), xs[0].dtype
    if axis_tensor is not None:
        return [((-1,) * rank, dtype)]
    axis = axis_of(attrs["axis"], rank)
    out = list(xs[0].shape)
    for i, x in enumerate(xs[1:], 1):
        if len(x.shape) != rank:
            raise ShapeError(f"X[{i}] has rank {len(x.shape)}, but X[0] has rank {rank}")
        for k, n in enumerate(x.shape):
            if k == axis:
                out[k] = -1 if -1 in (out[k], n) else out[k] + n
            elif out[k] == -1:
                out[k] = n
            elif n not in (-1, out[k]):
                raise ShapeError(
                    f"X[{i}] of shape {list(x.shape)} does not match X[0] of shape {list(xs[0].shape)} off axis {axis}"
                )
    return [(tuple(out), dtype)]


@concat.lods
def _lods(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    """Along axis 0 sequences are joined; else the output has the first LoD."""
    lods = [lod for lod in ins[0] if lod is not None]
    axis = attrs["axis"] if values[1] is None else int(values[1])
    if not lods or axis % values[0][0].dim():
        return [lods[0] if lods else None]
    if len(lods) < len(ins[0]) or len({len(lod) for lod in lods}) > 1:
        raise ShapeError("inputs joined along axis 0 must all have a LoD of the same number of levels, or none")
    lengths = [chain(*levels) for levels in zip(*(lod.lengths() for lod in lods), strict=True)]
    return [LoD.from_lengths(lengths)]
