"""Products of matrices and vectors: bmm, dot, cross, kron, addmm; and minus."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.backward_ops import BackwardOp, Call, scaled_back
from refluid.ops.infer import Spec
from refluid.ops.math.broadcasting import apply
from refluid.ops.registry import FLOATS, NUMBERS, Tensor, op

NO_AXIS = 9  # Fluid's way to say that no axis was given to cross


@op("Out", dtypes={"X": FLOATS, "Y": FLOATS}, late="X Y")
def bmm(X: Tensor, Y: Tensor) -> Tensor:
    """Out[i] = X[i].Y[i]."""
    if X.dim() != 3 or Y.dim() != 3 or X.shape[0] != Y.shape[0] or X.shape[2] != Y.shape[1]:
        raise ShapeError(f"X and Y must be [B, M, K] and [B, K, N], got {list(X.shape)} and {list(Y.shape)}")
    return torch.bmm(X, Y)


@bmm.grad
def bmm_grad(X: Tensor, Y: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...]) -> tuple[Tensor | None, Tensor | None]:
    return (
        torch.bmm(Out_grad, Y.transpose(1, 2)) if needs[0] else None,
        torch.bmm(X.transpose(1, 2), Out_grad) if needs[1] else None,
    )


@op("Out", lod=None, dtypes={"X": NUMBERS, "Y": NUMBERS})
def dot(X: Tensor, Y: Tensor) -> Tensor:
    """Out = sum(X * Y) of the last axis, kept as size 1."""
    if X.dim() not in (1, 2) or X.shape != Y.shape:
        raise ShapeError(f"X and Y must have one shape of rank 1 or 2, got {list(X.shape)} and {list(Y.shape)}")
    return torch.sum(X * Y, -1, True, dtype=X.dtype)


@op("Out", lod="X", dtypes={"X": NUMBERS, "Y": NUMBERS}, late="X Y")
def cross(X: Tensor, Y: Tensor, *, dim: int = NO_AXIS) -> Tensor:
    """Out = the cross product along `dim`, by default the first axis of size 3."""
    if X.shape != Y.shape:
        raise ShapeError(f"X and Y must have one shape, got {list(X.shape)} and {list(Y.shape)}")
    if dim == NO_AXIS:
        axis = next((i for i, n in enumerate(X.shape) if n == 3), None)
        if axis is None:
            raise ShapeError(f"X must have an axis of size 3, got shape {list(X.shape)}")
    elif not -X.dim() <= dim < X.dim():
        raise ArgumentError(f"dim must be in [{-X.dim()}, {X.dim() - 1}] for X of rank {X.dim()}, got {dim}")
    elif X.shape[dim] != 3:
        raise ShapeError(f"axis {dim} of X must have size 3, got shape {list(X.shape)}")
    else:
        axis = dim
    return torch.linalg.cross(X, Y, dim=axis)


@cross.infer
def infer_cross(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec] | None:
    """A size that is not known may be the 3."""
    x, y = inputs
    dim, rank = attrs["dim"], len(x.shape)
    axes = range(rank) if dim == NO_AXIS else [dim] if -rank <= dim < rank else []
    open_axis = x == y and any(x.shape[axis] < 0 for axis in axes)
    return [Spec(x.shape, x.dtype)] if open_axis else None


@op("Out", lod=None, dtypes={"X": NUMBERS, "Y": NUMBERS})
def kron(X: Tensor, Y: Tensor) -> Tensor:
    """Out = the Kronecker product; the input of lower rank gets leading axes."""
    return torch.kron(X, Y)


@op("Out", lod="Input", dtypes={"Input": FLOATS, "X": FLOATS, "Y": FLOATS}, late="Input", grad_hints="use_mkldnn")
def addmm(Input: Tensor, X: Tensor, Y: Tensor, *, Alpha: float = 1.0, Beta: float = 1.0) -> Tensor:
    """Out = Beta * Input + Alpha * X.Y, Input broadcast."""
    if X.dim() != 2 or Y.dim() != 2 or X.shape[1] != Y.shape[0]:
        raise ShapeError(f"X and Y must be [M, K] and [K, N], got {list(X.shape)} and {list(Y.shape)}")
    if Input.dim() != 2 or Input.shape[0] not in (1, X.shape[0]) or Input.shape[1] not in (1, Y.shape[1]):
        raise ShapeError(f"Input must broadcast to [{X.shape[0]}, {Y.shape[1]}], got {list(Input.shape)}")
    return torch.addmm(Input, X, Y, alpha=Alpha, beta=Beta)


@addmm.infer
def infer_addmm(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec] | None:
    """A size that only one input knows is that of the other."""
    added, x, y = (one.shape for one in inputs)
    matrices = len(added) == len(x) == len(y) == 2 and len({one.dtype for one in inputs}) == 1
    if not matrices or (x[1] != y[0] and -1 not in (x[1], y[0])):
        return None
    out = (x[0], y[1])
    fits = all(n in (1, -1, m) or m == -1 for n, m in zip(added, out, strict=True))
    return [Spec(out, inputs[1].dtype)] if fits else None


@op("Out", lod="X", dtypes={"X": NUMBERS, "Y": NUMBERS})
def minus(X: Tensor, Y: Tensor) -> Tensor:
    """Out = X - Y, of one shape."""
    if X.shape != Y.shape:
        raise ShapeError(f"X and Y must have one shape, got {list(X.shape)} and {list(Y.shape)}")
    return apply(torch.sub, X, Y, -1)


@minus.grad
def minus_grad(Out_grad: Tensor, *, needs: tuple[bool, ...]) -> tuple[Tensor | None, Tensor | None]:
    return Out_grad, Out_grad.neg() if needs[1] else None


@minus.gradient_ops
def _scaled_back(op: Call) -> list[BackwardOp]:
    return [scaled_back(op, op.input(slot)[0], factor) for slot, factor in (("X", 1.0), ("Y", -1.0))]
