"""row_conv: lookahead convolution, every step reads a few following steps."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, LoD, Tensor, op


@op(lod="X", dtypes={"X": FLOATS, "Filter": FLOATS})
def row_conv(X: Tensor, X_lod: LoD | None, Filter: Tensor) -> Tensor:
    """Out[t] = the sum over w of X[t + w] * Filter[w], within the sequence of t.

    X is a LoDTensor [steps, width] or dense [batch, steps, width]; Filter is [context + 1, width].
    """
    if X.dim() not in (2, 3):
        raise ShapeError(f"X must be [steps, width] with a LoD, or [batch, steps, width], got {list(X.shape)}")
    if Filter.dim() != 2 or Filter.shape[1] != X.shape[-1]:
        raise ShapeError(f"Filter must have shape [context + 1, {X.shape[-1]}], got {list(Filter.shape)}")
    steps = X.shape[-2]
    out = X * Filter[0]
    # In a LoDTensor the following rows may belong to the next sequence.
    sequence = X_lod.segment_ids() if X.dim() == 2 and X_lod is not None else None
    for w in range(1, min(Filter.shape[0], steps)):
        ahead = X.narrow(-2, w, steps - w) * Filter[w]
        if sequence is not None:
            ahead = ahead * (sequence[w:] == sequence[:-w]).unsqueeze(1)
        out = out + torch.nn.functional.pad(ahead, [0, 0, 0, w])
    return out
