"""sequence_unpad: rows of one length become sequences of different lengths."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, LoD, Tensor, op


@op("Out", dtypes={"Length": INDICES}, makes_lod=True)
def sequence_unpad(X: Tensor, Length: Tensor) -> Tensor:
    """Sequence i of Out is the first Length[i] rows of X[i]. X is [sequences, padded length, ...].

    Numbers, of an X that is [sequences, padded length], are rows of one.
    """
    _check(X.shape, Length.shape)
    size = X.shape[1]
    if Length.numel() and not (int(Length.min()) >= 0 and int(Length.max()) <= size):
        raise ValueRangeError(f"Length must be from 0 to {size}, got {Length.tolist()}")
    kept = torch.arange(size, device=X.device) < Length.unsqueeze(1)
    rows = X.flatten(0, 1) if X.dim() > 2 else X.reshape(-1, 1)
    return rows.index_select(0, torch.nonzero(kept.reshape(-1)).squeeze(1))


@sequence_unpad.infer
def sequence_unpad_shape(inputs: list, attrs: dict) -> list:
    x, length = inputs
    _check(x.shape, length.shape)
    return [Spec((-1, *(x.shape[2:] or (1,))), x.dtype, 1)]


@sequence_unpad.lods
def sequence_unpad_lods(ins: list, values: list, attrs: dict) -> list:
    return [LoD.from_lengths([values[1].tolist()])]


def _check(x: tuple[int, ...], length: tuple[int, ...]) -> None:
    if len(x) < 2:
        raise ShapeError(f"X must be [sequences, padded length, ...], got {list(x)}")
    if len(length) != 1 or (length[0] != x[0] and length[0] >= 0 and x[0] >= 0):
        raise ShapeError(f"Length must be [{x[0]}], one number per sequence, got {list(length)}")
