"""feed and fetch: the operators that mark the ends of an inference program. Plans do their work."""

from __future__ import annotations

from refluid.ops.registry import Tensor, op


@op("Out", nograd="*")
def feed(X: Tensor, *, col: int = 0) -> Tensor:
    """Out is column `col` of what is fed."""
    return X


@op("Out", nograd="*")
def fetch(X: Tensor, *, col: int = 0) -> Tensor:
    """X becomes column `col` of what is fetched."""
    return X
