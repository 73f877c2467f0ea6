"""sampling_id: samples a column of every row by its probabilities."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", nograd="*", random="stream", dtypes={"X": FLOATS}, lod=None, late="X")
def sampling_id(X: Tensor, *, rng: torch.Generator | None, min: float = 0.0, max: float = 1.0, seed: int = 0) -> Tensor:
    """Out [N] is the first column where row i's cumulative probability exceeds a number from [min, max); int64."""
    if X.dim() != 2:
        raise ShapeError(f"X must be a matrix of probabilities, got shape {list(X.shape)}")
    at = torch.empty((X.shape[0], 1), dtype=X.dtype, device=X.device if rng is None else rng.device)
    at = at.uniform_(min, max, generator=rng).to(X.device)
    return (X.cumsum(1) <= at).sum(1).clamp(max=X.shape[1] - 1)
