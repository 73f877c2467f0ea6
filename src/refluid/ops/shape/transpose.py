"""transpose, transpose2: the axes in another order."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.ops.infer import Spec
from refluid.ops.registry import Shape, Tensor, op
from refluid.ops.shape.sizes import Sizes, xshape


def permuted(X: Tensor, axis: Sizes) -> Tensor:
    try:
        return X.permute(axis)
    except (RuntimeError, IndexError):
        raise ArgumentError(f"axis must order the {X.dim()} axes of X, each once, got {list(axis)}") from None


def permuted_back(Out_grad: Tensor, axis: Sizes) -> Tensor:
    rank = len(axis)
    axis = [a % rank for a in axis]
    return Out_grad.permute(sorted(range(rank), key=axis.__getitem__))


@op("Out", lod=None, grad_hints="use_mkldnn use_quantizer data_format", views="X")
def transpose(X: Tensor, *, axis: list[int]) -> Tensor:
    """Axis i of Out is axis axis[i] of X."""
    return permuted(X, axis)


@op("Out XShape", intermediate="XShape", lod=None, grad_hints="use_mkldnn use_quantizer data_format", views="X")
def transpose2(X: Tensor, *, axis: list[int]) -> tuple[Tensor, Tensor]:
    """As transpose; XShape keeps X's shape for the gradient."""
    return permuted(X, axis), xshape(X)


@transpose2.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec] | None:
    (x,) = inputs
    rank, axis = len(x.shape), attrs["axis"]
    if sorted(a % rank if -rank <= a < rank else -1 for a in axis) != list(range(rank)):
        return None
    return [Spec(tuple(x.shape[a] for a in axis), x.dtype), Spec((0, *x.shape), x.dtype)]


@transpose.grad
def transpose_grad(X: Shape, Out: Shape, Out_grad: Tensor, *, axis: list[int]) -> Tensor:
    return permuted_back(Out_grad, axis)


@transpose2.grad
def transpose2_grad(XShape: Shape, Out_grad: Tensor, *, axis: list[int]) -> Tensor:
    return permuted_back(Out_grad, axis)
