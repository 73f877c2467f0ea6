"""where, where_index: a choice between two tensors by a condition, and the indices where a condition holds."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.math.broadcasting import mixed_dtypes
from refluid.ops.registry import BOOLS, Tensor, op


@op("Out", dtypes={"Condition": BOOLS}, grad_keeps="X Y")
def where(Condition: Tensor, X: Tensor, Y: Tensor) -> Tensor:
    """Out is X where Condition holds, and Y elsewhere."""
    if not Condition.shape == X.shape == Y.shape:
        raise ShapeError(
            "Condition, X and Y must have the same shape, "
            f"got {list(Condition.shape)}, {list(X.shape)} and {list(Y.shape)}"
        )
    if X.dtype is not Y.dtype:
        raise mixed_dtypes(X.dtype, Y.dtype)
    return torch.where(Condition, X, Y)


@where.grad
def where_grad(Condition: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...]) -> tuple[Tensor | None, Tensor | None]:
    x_grad = torch.where(Condition, Out_grad, 0.0) if needs[0] else None
    return x_grad, torch.where(Condition, 0.0, Out_grad) if needs[1] else None


@op("Out", nograd="*", lod=None)
def where_index(Condition: Tensor) -> Tensor:
    """Out [number of them, rank of Condition] are the indices where Condition is not 0; int64."""
    return Condition.nonzero()


@where_index.infer
def _spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [((-1, len(inputs[0].shape)), torch.int64)]
