"""sequence_expand_as: repeat every row as often as the sequences of another tensor are long."""

from __future__ import annotations

from refluid.core.errors import ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import LoD, Shape, Tensor, op
from refluid.ops.sequence.segments import need_lod, per_row, segment_sum


@op("Out", lod="Y", nograd="Y")
def sequence_expand_as(X: Tensor, Y: Shape, Y_lod: LoD | None) -> Tensor:
    """Row i of X becomes sequence i of Out, which has the LoD of Y."""
    lod = need_lod(Y_lod, Y[0], "Y", levels=1)
    if X.shape[0] != lod.count():
        raise ShapeError(f"X has {X.shape[0]} rows, but Y has {lod.count()} sequences")
    return per_row(X, lod)


@sequence_expand_as.grad
def sequence_expand_as_grad(X: Shape, Y: Shape, Y_lod: LoD | None, Out_grad: Tensor) -> Tensor:
    return segment_sum(Out_grad, need_lod(Y_lod, Y[0], "Y"))


@sequence_expand_as.infer
def sequence_expand_as_shape(inputs: list, attrs: dict) -> list:
    x, y = inputs
    return [Spec((y.shape[0], *x.shape[1:]), x.dtype, y.lod_level)]
