"""label_smooth: label smoothing."""

from __future__ import annotations

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", dtypes={"X": FLOATS}, nograd="PriorDist", lod="X")
def label_smooth(X: Tensor, PriorDist: Tensor | None = None, *, epsilon: float = 0.0) -> Tensor:
    """Out = (1 - epsilon) X + epsilon PriorDist; without PriorDist all classes are equally likely."""
    if PriorDist is None:
        return X * (1.0 - epsilon) + epsilon / X.shape[-1]
    if PriorDist.numel() != X.shape[-1]:
        raise ShapeError(f"PriorDist must have shape [1, {X.shape[-1]}], got {list(PriorDist.shape)}")
    return X * (1.0 - epsilon) + epsilon * PriorDist.reshape(-1)


@label_smooth.grad
def label_smooth_grad(Out_grad: Tensor, *, epsilon: float) -> Tensor:
    return Out_grad * (1.0 - epsilon)
