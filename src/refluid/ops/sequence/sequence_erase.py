"""sequence_erase: drop tokens from sequences of ids."""

from __future__ import annotations

import torch

from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, LoD, Tensor, op
from refluid.ops.sequence.segments import need_lod


@op("Out", dtypes={"X": INDICES})
def sequence_erase(X: Tensor, X_lod: LoD | None, *, tokens: list[int]) -> Tensor:
    """X without the rows whose id is one of `tokens`."""
    need_lod(X_lod, X.shape[0])
    return X.index_select(0, torch.nonzero(_kept(X, tokens)).squeeze(1))


@sequence_erase.infer
def sequence_erase_shape(inputs: list, attrs: dict) -> list:
    x: Spec = inputs[0]
    return [Spec((-1, *x.shape[1:]), x.dtype, x.lod_level)]


@sequence_erase.lods
def sequence_erase_lods(ins: list, values: list, attrs: dict) -> list:
    lod: LoD | None = ins[0]
    if lod is None:
        return [None]
    left = torch.cumsum(_kept(values[0], attrs["tokens"]), 0).tolist()
    return [LoD([*lod.levels[:-1], [left[offset - 1] if offset else 0 for offset in lod.levels[-1]]])]


def _kept(X: Tensor, tokens: list[int]) -> Tensor:
    return torch.isin(X.reshape(-1), torch.tensor(tokens, dtype=X.dtype, device=X.device), invert=True)
