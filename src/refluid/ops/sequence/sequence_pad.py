"""sequence_pad: sequences of different lengths become rows of one length."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import LoD, Tensor, op
from refluid.ops.sequence.segments import need_lod, positions


@op("Out Length", nograd="PadValue Length", lod=None)
def sequence_pad(X: Tensor, X_lod: LoD | None, PadValue: Tensor, *, padded_length: int = -1) -> tuple[Tensor, Tensor]:
    """Out[i] is sequence i and then as many PadValue as it takes to be `padded_length` (-1: the longest) long.

    PadValue is one number or of the shape of one row. Length are the sequence lengths, int64 [sequences].
    """
    lod = need_lod(X_lod, X.shape[0], levels=1)
    lengths, row = lod.lengths_tensor(device=X.device), X.shape[1:]
    longest = max(lod.lengths()[0], default=0)
    size = longest if padded_length == -1 else padded_length
    if longest > size:
        raise ShapeError(f"padded_length must be at least {longest}, the longest sequence, got {padded_length}")
    if PadValue.numel() != 1 and PadValue.shape != row:
        raise ShapeError(f"PadValue must be one number or a row {list(row)}, got {list(PadValue.shape)}")
    pad = PadValue.to(X.dtype).reshape(row if PadValue.shape == row else [1] * len(row))
    places = positions(lod, X.device) + lod.segment_ids(device=X.device) * size
    out = pad.expand(lod.count() * size, *row).index_copy(0, places, X)
    return out.reshape(lod.count(), size, *row), lengths


@sequence_pad.infer
def sequence_pad_shape(inputs: list, attrs: dict) -> list:
    x: Spec = inputs[0]
    return [Spec((-1, attrs["padded_length"], *x.shape[1:]), x.dtype), Spec((-1,), torch.int64)]
