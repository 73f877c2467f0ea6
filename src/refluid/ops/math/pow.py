"""pow: every element to a constant power."""

from __future__ import annotations

import torch

from refluid.ops.registry import NUMBERS, Tensor, op


@op("Out", like="X", lod="X", dtypes={"X": NUMBERS}, nograd="FactorTensor")
def pow(X: Tensor, FactorTensor: Tensor | None = None, *, factor: float = 1.0) -> Tensor:
    """Out = X ** factor; the factor may come as a tensor of one element."""
    if FactorTensor is not None:
        return torch.pow(X, FactorTensor.to(X.dtype))
    return torch.pow(X, factor if X.is_floating_point() else int(factor))


@pow.grad
def pow_grad(X: Tensor, FactorTensor: Tensor | None, Out_grad: Tensor, *, factor: float) -> Tensor:
    if FactorTensor is not None:
        return Out_grad * FactorTensor * torch.pow(X, FactorTensor - 1)
    return Out_grad * torch.pow(X, factor - 1).mul_(factor)
