"""sequence_conv: a convolution over the rows of each sequence."""

from __future__ import annotations

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, LoD, Tensor, op
from refluid.ops.sequence.segments import Windows, need_lod, windows


@op("Out", lod="X", dtypes={"X": FLOATS, "Filter": FLOATS})
def sequence_conv(
    X: Tensor,
    X_lod: LoD | None,
    PaddingData: Tensor | None,
    Filter: Tensor,
    *,
    contextLength: int,
    contextStart: int = 0,
    contextStride: int = 1,
    paddingTrainable: bool = False,
) -> Tensor:
    """Out[i] = (X[i + start], .., X[i + start + length - 1] in one row).Filter.

    Rows before and after the sequence are zeros, or rows of PaddingData, first those before, then those after.
    """
    _check(X.shape, Filter.shape, contextLength, contextStride)
    lod = need_lod(X_lod, X.shape[0])
    around = windows(lod, contextStart, contextLength, X.device)
    return around.of(X, _padding(around, PaddingData, contextStart, paddingTrainable)).mm(Filter)


@sequence_conv.grad
def sequence_conv_grad(
    X: Tensor,
    X_lod: LoD | None,
    PaddingData: Tensor | None,
    Filter: Tensor,
    Out_grad: Tensor,
    *,
    needs: tuple[bool, ...],
    contextLength: int,
    contextStart: int,
    paddingTrainable: bool,
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    lod, width = need_lod(X_lod, X.shape[0]), X.shape[1]
    around = windows(lod, contextStart, contextLength, X.device)
    x_grad = padding_grad = filter_grad = None
    if needs[0]:
        # Row i was read from rows i - start - length + 1 .. i - start, by the last to the first part of the filter:
        # again a convolution, which is faster than adding up the gradients of all windows.
        back = windows(lod, 1 - contextStart - contextLength, contextLength, X.device)
        transposed = Filter.reshape(contextLength, width, -1).flip(0).transpose(1, 2).reshape(-1, width)
        x_grad = back.of(Out_grad).mm(transposed)
    if needs[1] and PaddingData is not None:
        taken = Out_grad.mm(Filter.t()).reshape(-1, width).index_select(0, around.outside)
        rows = around.beyond + max(0, -contextStart)
        padding_grad = PaddingData.new_zeros(PaddingData.shape).index_add_(0, rows, taken)
    if needs[2]:
        padding = _padding(around, PaddingData, contextStart, paddingTrainable)
        filter_grad = around.of(X, padding).t().mm(Out_grad)
    return x_grad, padding_grad, filter_grad


@sequence_conv.infer
def sequence_conv_shape(inputs: list, attrs: dict) -> list:
    x, _, weight = inputs
    _check(x.shape, weight.shape, attrs["contextLength"], attrs["contextStride"])
    return [Spec((x.shape[0], weight.shape[1]), x.dtype, x.lod_level)]


def _padding(around: Windows, PaddingData: Tensor | None, start: int, trainable: bool) -> float | Tensor:
    if not trainable:
        return 0.0
    if PaddingData is None:
        raise ArgumentError("paddingTrainable needs the input PaddingData")
    return PaddingData.index_select(0, around.beyond + max(0, -start))


def _check(x: tuple[int, ...], weight: tuple[int, ...], length: int, stride: int) -> None:
    if stride != 1:
        raise ArgumentError(f"contextStride must be 1, got {stride}")
    if length < 1:
        raise ArgumentError(f"contextLength must be at least 1, got {length}")
    if len(x) != 2 or len(weight) != 2:
        raise ShapeError(f"X and Filter must be matrices, got {list(x)} and {list(weight)}")
    if weight[0] != length * x[1] and x[1] >= 0:
        raise ShapeError(
            f"Filter must have contextLength * columns of X = {length} * {x[1]} = {length * x[1]} rows, got {weight[0]}"
        )
