"""Sequence operators fused with those that follow: expand, concat and fc; pool and concat; conv, bias and relu."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.infer import Spec
from refluid.ops.nn.cvm import cvm
from refluid.ops.registry import FLOATS, LoD, Tensor, op
from refluid.ops.sequence.gates import activation
from refluid.ops.sequence.segments import need_lod, per_row, windows
from refluid.ops.sequence.sequence_conv import sequence_conv
from refluid.ops.sequence.sequence_pool import sequence_pool

POOLS = ("AVERAGE", "SUM", "SQRT")


@op("Out FCOut", intermediate="FCOut", dtypes={"X": FLOATS, "FCWeight": FLOATS}, nograd="*")
def fusion_seqexpand_concat_fc(
    X: list[Tensor],
    X_lod: list[LoD | None],
    FCWeight: Tensor,
    FCBias: Tensor | None = None,
    *,
    fc_activation: str = "identity",
) -> tuple[Tensor, Tensor]:
    """Out = act((X[0], X[1:] expanded to X[0]'s sequences).FCWeight + FCBias).

    X[0] is [rows, M0] with a LoD; each other X has one row for each of its sequences. FCOut [sequences, D] is the part
    of the product from those others.
    """
    if len(X) < 2:
        raise ArgumentError(f"X must be two tensors or more, got {len(X)}")
    width = X[0].shape[1]
    if sum(x.shape[1] for x in X) != FCWeight.shape[0]:
        columns = ", ".join(str(x.shape[1]) for x in X)
        raise ShapeError(f"FCWeight must have a row for each column of X ({columns}), got {list(FCWeight.shape)}")
    lod = need_lod(X_lod[0], X[0].shape[0], "X[0]", levels=1)
    for number, x in enumerate(X[1:], 1):
        if x.shape[0] != lod.count():
            raise ShapeError(f"X[{number}] must have a row for each of {lod.count()} sequences, got {list(x.shape)}")
    of_sequences = torch.cat(X[1:], 1).mm(FCWeight[width:])
    out = torch.addmm(per_row(of_sequences, lod), X[0], FCWeight[:width])
    if FCBias is not None:
        out = out + FCBias.reshape(-1)
    return activation(fc_activation)(out), of_sequences


@fusion_seqexpand_concat_fc.infer
def fusion_seqexpand_concat_fc_shape(inputs: list, attrs: dict) -> list:
    xs, weight, _ = inputs
    out = Spec((xs[0].shape[0], weight.shape[1]), xs[0].dtype, 1)
    return [out, Spec((-1, weight.shape[1]), xs[0].dtype, 0)]


@fusion_seqexpand_concat_fc.lods
def fusion_seqexpand_concat_fc_lods(ins: list, values: list, attrs: dict) -> list:
    return [ins[0][0], None]


@op("Out", makes_lod=True, dtypes={"X": FLOATS}, nograd="*")
def fusion_seqpool_concat(X: list[Tensor], X_lod: list[LoD | None], *, pooltype: str = "SUM", axis: int = 1) -> Tensor:
    """Every X pooled by sequence_pool, concatenated."""
    _check_pool(pooltype, axis)
    return torch.cat([sequence_pool.kernel(x, lod, pooltype=pooltype)[0] for x, lod in zip(X, X_lod, strict=True)], 1)


@op("Out", makes_lod=True, dtypes={"X": FLOATS}, nograd="*")
def fusion_seqpool_cvm_concat(
    X: list[Tensor],
    X_lod: list[LoD | None],
    CVM: Tensor,
    *,
    pooltype: str = "SUM",
    use_cvm: bool = True,
    axis: int = 1,
) -> Tensor:
    """Every X pooled by sequence_pool and passed through cvm, concatenated."""
    _check_pool(pooltype, axis)
    if not use_cvm:  # Fluid refuses it too
        raise ArgumentError("use_cvm must be True")
    pooled = [sequence_pool.kernel(x, lod, pooltype=pooltype)[0] for x, lod in zip(X, X_lod, strict=True)]
    return torch.cat([cvm.kernel(x, CVM, use_cvm=True) for x in pooled], 1)


@fusion_seqpool_concat.infer
@fusion_seqpool_cvm_concat.infer
def pooled_shape(inputs: list, attrs: dict) -> list:
    xs = inputs[0]
    _check_pool(attrs["pooltype"], attrs["axis"])
    for x in xs:
        if len(x.shape) != 2:
            raise ShapeError(f"every X must be a matrix, got {list(x.shape)}")
    widths = [x.shape[1] for x in xs]
    return [Spec((-1, -1 if -1 in widths else sum(widths)), xs[0].dtype, 1)]


@fusion_seqpool_concat.lods
@fusion_seqpool_cvm_concat.lods
def pooled_lods(ins: list, values: list, attrs: dict) -> list:
    """Fluid: every row of the result is a sequence of its own."""
    first = ins[0][0]
    return [None if first is None else LoD.from_lengths([[1] * first.count()])]


@op("Out ColMat", intermediate="ColMat", dtypes={"X": FLOATS, "Filter": FLOATS, "Bias": FLOATS}, nograd="*")
def fusion_seqconv_eltadd_relu(
    X: Tensor,
    X_lod: LoD | None,
    Filter: Tensor,
    Bias: Tensor,
    *,
    contextLength: int,
    contextStart: int = 0,
    contextStride: int = 1,
) -> tuple[Tensor, Tensor]:
    """Out = relu(sequence_conv(X, Filter) + Bias); ColMat is the im2col matrix that the filter is multiplied with."""
    out = sequence_conv.kernel(
        X, X_lod, None, Filter,
        contextLength=contextLength, contextStart=contextStart, contextStride=contextStride,
    )  # fmt: skip
    lod = need_lod(X_lod, X.shape[0])
    around = windows(lod, contextStart, contextLength, X.device)
    return torch.relu(out + Bias.reshape(-1)), around.of(X)


@fusion_seqconv_eltadd_relu.infer
def fusion_seqconv_eltadd_relu_shape(inputs: list, attrs: dict) -> list:
    x, weight, _ = inputs
    out = Spec((x.shape[0], weight.shape[1]), x.dtype, x.lod_level)
    return [out, Spec((x.shape[0], weight.shape[0]), x.dtype, 0)]


@fusion_seqconv_eltadd_relu.lods
def fusion_seqconv_eltadd_relu_lods(ins: list, values: list, attrs: dict) -> list:
    return [ins[0], None]


def _check_pool(pooltype: str, axis: int) -> None:
    if pooltype not in POOLS:
        raise ArgumentError(f"pooltype must be one of {', '.join(POOLS)}, got {pooltype!r}")
    if axis != 1:
        raise ArgumentError(f"axis must be 1, got {axis}")
