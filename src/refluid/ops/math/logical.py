"""The logical operators on bool tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import BOOLS, OpDef, Tensor, op


def logical(name: str, function: Callable[[Tensor, Tensor], Tensor]) -> OpDef:
    def kernel(X: Tensor, Y: Tensor) -> Tensor:
        if X.shape != Y.shape:
            # Fluid: as many elements are enough, whatever their shapes.
            if X.numel() != Y.numel():
                raise mismatch(X.shape, Y.shape)
            Y = Y.reshape(X.shape)
        return function(X, Y)

    definition = op("Out", type=name, lod="X", dtypes={"X": BOOLS, "Y": BOOLS}, nograd="*")(kernel)
    definition.infer(infer_logical)
    return definition


def infer_logical(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    x, y = inputs
    if -1 not in (*x.shape, *y.shape) and math.prod(x.shape) != math.prod(y.shape):
        raise mismatch(x.shape, y.shape)
    return [Spec(x.shape, torch.bool)]


def mismatch(x: Sequence[int], y: Sequence[int]) -> ShapeError:
    return ShapeError(f"X and Y must have as many elements, got shapes {list(x)} and {list(y)}")


logical_and = logical("logical_and", torch.logical_and)
logical_or = logical("logical_or", torch.logical_or)
logical_xor = logical("logical_xor", torch.logical_xor)


@op("Out", like="X", dtypes={"X": BOOLS}, nograd="*")
def logical_not(X: Tensor) -> Tensor:
    """Out = not X."""
    return torch.logical_not(X)
