"""sequence_softmax: softmax over each sequence."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, LoD, Shape, Tensor, op
from refluid.ops.sequence.segments import need_lod, per_row


def _sums(t: Tensor, lod: LoD) -> Tensor:
    # For rows of one number segment_reduce is the fastest way.
    return torch.segment_reduce(t, "sum", offsets=lod.offsets_tensor(device=t.device), initial=0)


@op("Out", lod="X", dtypes={"X": FLOATS}, grad_hints="use_cudnn data_format")
def sequence_softmax(X: Tensor, X_lod: LoD | None) -> Tensor:
    """Out[i] = exp(X[i]) / sum of exp(X[j]) over the rows j of the same sequence. X is [n] or [n, 1]."""
    _check(X.shape)
    lod, x = need_lod(X_lod, X.shape[0]), X.reshape(-1)
    highest = torch.segment_reduce(x.detach(), "max", offsets=lod.offsets_tensor(device=X.device), initial=-torch.inf)
    powers = torch.exp(x - per_row(highest, lod))
    return (powers / per_row(_sums(powers, lod), lod)).reshape(X.shape)


@sequence_softmax.grad
def sequence_softmax_grad(X: Shape, X_lod: LoD | None, Out: Tensor, Out_grad: Tensor) -> Tensor:
    lod, out = need_lod(X_lod, X[0]), Out.reshape(-1)
    weighted = out * Out_grad.reshape(-1)
    return torch.addcmul(weighted, out, per_row(_sums(weighted, lod), lod), value=-1).reshape(X)


@sequence_softmax.infer
def sequence_softmax_shape(inputs: list, attrs: dict) -> list:
    return [inputs[0]]


def _check(shape: tuple[int, ...]) -> None:
    if any(n != 1 for n in shape[1:]):
        raise ShapeError(f"X must have one number per row, got the shape {list(shape)}")
