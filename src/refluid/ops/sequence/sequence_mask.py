"""sequence_mask: lengths become rows of ones and zeros."""

from __future__ import annotations

import torch

from refluid.core.dtypes import torch_dtype
from refluid.ops.infer import Spec
from refluid.ops.registry import NUMBERS, DType, Tensor, op


@op("Y", nograd="*", lod=None, dtypes={"X": NUMBERS}, late="X MaxLenTensor")
def sequence_mask(X: Tensor, MaxLenTensor: Tensor | None, *, out_dtype: DType, maxlen: int = -1) -> Tensor:
    """Y[i, .., j] = 1 if j < X[i, ..] else 0; j goes up to `maxlen`, MaxLenTensor or else the greatest X."""
    if MaxLenTensor is not None:
        maxlen = int(MaxLenTensor)
    elif maxlen < 0:
        maxlen = int(X.max()) if X.numel() else 0
    return (torch.arange(maxlen, device=X.device) < X.unsqueeze(-1)).to(torch_dtype(out_dtype))


@sequence_mask.infer
def sequence_mask_shape(inputs: list, attrs: dict) -> list:
    x, given = inputs
    maxlen = attrs["maxlen"] if given is None and attrs["maxlen"] >= 0 else -1
    return [Spec((*x.shape, maxlen), torch_dtype(attrs["out_dtype"]))]
