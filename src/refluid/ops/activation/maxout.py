"""maxout: the maximum over every group of neighbouring channels."""

from __future__ import annotations

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", lod=None, dtypes={"X": FLOATS}, grad_keeps="Out")
def maxout(X: Tensor, *, groups: int, axis: int = 1) -> Tensor:
    """[N, C, H, W] -> [N, C / groups, H, W]: channel c of Out is the maximum of channels c*groups .. of X."""
    if groups < 2:
        raise ArgumentError(f"groups must be 2 or more, got {groups}")
    if not -X.dim() <= axis < X.dim():
        raise ArgumentError(f"axis must be in [{-X.dim()}, {X.dim() - 1}] for X of rank {X.dim()}, got {axis}")
    axis %= X.dim()
    channels = X.shape[axis]
    if channels % groups:
        raise ShapeError(f"X has {channels} channels, which {groups} groups do not divide")
    # max, not amax: of equal channels the first one gets the gradient, as in Fluid.
    return X.unflatten(axis, (channels // groups, groups)).max(axis + 1).values
