"""sequence_slice: a part of every sequence."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, LoD, Tensor, op
from refluid.ops.sequence.segments import need_lod, ranges


@op("Out", dtypes={"Offset": INDICES, "Length": INDICES})
def sequence_slice(X: Tensor, X_lod: LoD | None, Offset: Tensor, Length: Tensor) -> Tensor:
    """Sequence i of Out is rows Offset[i] .. Offset[i] + Length[i] - 1 of sequence i of X. Both are [sequences, 1]."""
    lod = need_lod(X_lod, X.shape[0], levels=1)
    for slot, t in (("Offset", Offset), ("Length", Length)):
        if t.numel() != lod.count():
            raise ShapeError(f"{slot} must have one number per sequence, {lod.count()}, got {list(t.shape)}")
    offset, length = Offset.reshape(-1).long(), Length.reshape(-1).long()
    wrong = (offset < 0) | (length < 0) | (offset + length > lod.lengths_tensor(device=X.device))
    if wrong.any():
        i = int(torch.nonzero(wrong)[0])
        raise ValueRangeError(
            f"sequence {i} has {lod.lengths()[0][i]} rows, so Offset {int(offset[i])} and Length {int(length[i])} "
            "do not lie in it"
        )
    return X.index_select(0, ranges(lod.offsets_tensor(device=X.device)[:-1] + offset, length))


@sequence_slice.infer
def sequence_slice_shape(inputs: list, attrs: dict) -> list:
    x: Spec = inputs[0]
    return [Spec((-1, *x.shape[1:]), x.dtype, 0)]


@sequence_slice.lods
def sequence_slice_lods(ins: list, values: list, attrs: dict) -> list:
    return [LoD.from_lengths([values[2].reshape(-1).tolist()])]
