"""sequence_reverse: reverses every sequence."""

from __future__ import annotations

import torch

from refluid.ops.registry import LoD, Shape, Tensor, op
from refluid.ops.sequence.segments import need_lod, per_row


@op("Y", lod="X")
def sequence_reverse(X: Tensor, X_lod: LoD | None) -> Tensor:
    """The rows of every sequence of the last level from the last to the first."""
    return _reversed(X, need_lod(X_lod, X.shape[0]))


@sequence_reverse.grad
def sequence_reverse_grad(X: Shape, X_lod: LoD | None, Y_grad: Tensor) -> Tensor:
    return _reversed(Y_grad, need_lod(X_lod, X[0]))


@sequence_reverse.infer
def sequence_reverse_shape(inputs: list, attrs: dict) -> list:
    return [inputs[0]]


def _reversed(t: Tensor, lod: LoD) -> Tensor:
    offsets = lod.offsets_tensor(device=t.device)
    mirrored = per_row(offsets[:-1] + offsets[1:] - 1, lod) - torch.arange(lod.rows, device=t.device)
    return t.index_select(0, mirrored)
