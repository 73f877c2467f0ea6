"""The reduce_* operators: axes of a tensor reduced by sum, mean, max, min, prod, all or any;
also frobenius_norm and logsumexp.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from refluid.core.dtypes import torch_dtype
from refluid.core.errors import ArgumentError
from refluid.ops.infer import Spec
from refluid.ops.math.mean import mean, mean_grad
from refluid.ops.registry import BOOLS, FLOATS, NUMBERS, DType, OpDef, Shape, Tensor, op
from refluid.ops.rows import unless_first
from refluid.ops.scalars import number
from refluid.tensor.lod import LoD


def reduction(
    name: str,
    function: Callable[[Tensor, list[int], bool], Tensor],
    dtypes: frozenset = NUMBERS,
    nograd: str = "",
    whole: Callable[[Tensor], Tensor] | None = None,
    **options: object,
) -> OpDef:
    """`function(X, axes, keepdim)` reduces; axes are sorted and not negative.

    `whole(X)` is a quicker way to reduce all axes of floats, to a result of shape [1].
    """

    def kernel(
        X: Tensor,
        *,
        dim: list[int] = [0],  # Fluid's default; it is never modified
        keep_dim: bool = False,
        reduce_all: bool = False,
        in_dtype: DType = -1,
        out_dtype: DType = -1,
    ) -> Tensor:
        if reduce_all and not keep_dim and out_dtype < 0 and whole is not None and X.is_floating_point():
            return whole(X)
        if out_dtype >= 0:
            X = X.to(torch_dtype(out_dtype))
        axes = reduced_axes(X.dim(), dim, reduce_all)
        out = function(X, axes, keep_dim)
        return out if out.dim() else out.reshape(1)

    definition = op("Out", type=name, dtypes={"X": dtypes}, nograd=nograd, keeps_rows=unless_first("dim"), **options)(
        kernel
    )
    definition.lods(_lod)
    definition.infer(_infer)
    return definition


def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    (x,) = inputs
    axes = reduced_axes(len(x.shape), attrs["dim"], attrs["reduce_all"])
    kept = [1 if i in axes else size for i, size in enumerate(x.shape) if attrs["keep_dim"] or i not in axes]
    dtype = torch_dtype(attrs["out_dtype"]) if attrs["out_dtype"] >= 0 else x.dtype
    return [Spec(tuple(kept) or (1,), dtype)]


def reduced_axes(rank: int, dim: list[int], reduce_all: bool) -> list[int]:
    if reduce_all:
        return list(range(rank))
    if len(dim) == 1 and -rank <= dim[0] < rank:
        return [dim[0] % rank]
    if not dim or not all(-rank <= d < rank for d in dim):
        raise ArgumentError(f"dim must be axes in [{-rank}, {rank - 1}] for X of rank {rank}, got {list(dim)}")
    return sorted({d % rank for d in dim})


def _lod(lods: list[LoD | None], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    # Fluid: the LoD is kept if axis 0 is.
    axes = reduced_axes(len(values[0].shape), attrs["dim"], attrs["reduce_all"])
    return [None if 0 in axes else lods[0]]


def _mean(X: Tensor, axes: list[int], keepdim: bool) -> Tensor:
    if X.is_floating_point():
        return torch.mean(X, axes, keepdim)
    count = math.prod(X.shape[i] for i in axes)
    return torch.div(torch.sum(X, axes, keepdim, dtype=X.dtype), count, rounding_mode="trunc")


def _prod(X: Tensor, axes: list[int], keepdim: bool) -> Tensor:
    for axis in reversed(axes):
        X = torch.prod(X, axis, keepdim, dtype=X.dtype)
    return X


reduce_sum = reduction(
    "reduce_sum",
    lambda X, axes, keepdim: torch.sum(X, axes, keepdim, dtype=X.dtype),
    whole=lambda X: torch.sum(X).view(1),
)
reduce_mean = reduction("reduce_mean", _mean, whole=mean.kernel)
reduce_max = reduction("reduce_max", torch.amax, late="X")
reduce_min = reduction("reduce_min", torch.amin, late="X")
reduce_prod = reduction("reduce_prod", _prod, late="X", grad_keeps="Out")
reduce_all = reduction("reduce_all", torch.all, dtypes=BOOLS, nograd="*")
reduce_any = reduction("reduce_any", torch.any, dtypes=BOOLS, nograd="*")
logsumexp = reduction("logsumexp", torch.logsumexp, dtypes=FLOATS)
frobenius_norm = reduction(
    "frobenius_norm", lambda X, axes, keepdim: torch.linalg.vector_norm(X, 2, axes, keepdim), dtypes=FLOATS
)


def with_reduced_axes(value: Tensor, shape: Shape, dim: list[int], reduce_all: bool) -> Tensor:
    """A result or its gradient with the reduced axes restored with size 1, to broadcast against X."""
    if value.dim() == len(shape) and len(shape) > 1:
        return value  # keep_dim
    axes = reduced_axes(len(shape), dim, reduce_all)
    return value.reshape([1 if i in axes else n for i, n in enumerate(shape)])


def as_input(grad: Tensor, in_dtype: DType) -> Tensor:
    """The gradient in the dtype of X, where `out_dtype` made Out another; Fluid then states `in_dtype` too."""
    return grad if in_dtype < 0 else grad.to(torch_dtype(in_dtype))


@reduce_sum.grad
def reduce_sum_grad(X: Shape, Out_grad: Tensor, *, dim: list[int], reduce_all: bool, in_dtype: DType) -> Tensor:
    return with_reduced_axes(as_input(Out_grad, in_dtype), X, dim, reduce_all).expand(*X)


@reduce_mean.grad
def reduce_mean_grad(X: Shape, Out_grad: Tensor, *, dim: list[int], reduce_all: bool, in_dtype: DType) -> Tensor:
    if reduce_all and in_dtype < 0:
        return mean_grad.kernel(X, Out_grad)
    count = math.prod(X[i] for i in reduced_axes(len(X), dim, reduce_all))
    out_grad = as_input(Out_grad, in_dtype)
    share = torch.mul(out_grad, number(1.0 / max(count, 1), out_grad.dtype))
    return with_reduced_axes(share, X, dim, reduce_all).expand(*X)


def _to_extrema(X: Tensor, Out: Tensor, Out_grad: Tensor, *, dim: list[int], reduce_all: bool) -> Tensor:
    # Fluid: every element equal to the result gets the whole gradient.
    chosen = torch.eq(X, with_reduced_axes(Out, X.shape, dim, reduce_all))
    return torch.where(chosen, with_reduced_axes(Out_grad, X.shape, dim, reduce_all), 0.0)


reduce_max.grad(_to_extrema)
reduce_min.grad(_to_extrema)


@frobenius_norm.grad
def frobenius_norm_grad(X: Tensor, Out: Tensor, Out_grad: Tensor, *, dim: list[int], reduce_all: bool) -> Tensor:
    ratio = torch.where(Out == 0, 0.0, Out_grad / Out)
    return X * with_reduced_axes(ratio, X.shape, dim, reduce_all)


@logsumexp.grad
def logsumexp_grad(X: Tensor, Out: Tensor, Out_grad: Tensor, *, dim: list[int], reduce_all: bool) -> Tensor:
    share = torch.exp(X - with_reduced_axes(Out, X.shape, dim, reduce_all))
    return share * with_reduced_axes(Out_grad, X.shape, dim, reduce_all)
