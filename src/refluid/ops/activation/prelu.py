"""prelu: a leaky ReLU whose slope is learned."""

from __future__ import annotations

import math

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.aten import aten
from refluid.ops.registry import FLOATS, Shape, Tensor, op

prelu_kernel = aten("_prelu_kernel")
prelu_backward = aten("_prelu_kernel_backward")


@op("Out", lod="X", dtypes={"X": FLOATS, "Alpha": FLOATS})
def prelu(X: Tensor, Alpha: Tensor, *, mode: str = "all") -> Tensor:
    """Out = X where X > 0, else Alpha * X. One Alpha for "all", one per "channel" (axis 1), or one per "element"."""
    return prelu_kernel(X, Alpha.reshape(slope_shape(X.shape, Alpha.shape, mode)))


@prelu.grad
def prelu_grad(
    X: Tensor, Alpha: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...], mode: str
) -> tuple[Tensor, Tensor | None]:
    shape = slope_shape(X.shape, Alpha.shape, mode)
    x_grad, alpha_grad = prelu_backward(Out_grad, X, Alpha.reshape(shape))
    if not needs[1]:
        return x_grad, None
    repeated = [i for i, n in enumerate(shape) if n == 1]
    return x_grad, (alpha_grad.sum(repeated) if repeated else alpha_grad).reshape(Alpha.shape)


def slope_shape(x: Shape, alpha: Shape, mode: str) -> list[int]:
    """The shape in which Alpha broadcasts against X."""
    if mode == "all":
        shape = [1] * len(x)
    elif mode == "channel":
        if len(x) < 2:
            raise ShapeError(f"X must have a channel axis (rank 2 or more) in mode 'channel', got rank {len(x)}")
        shape = [1, x[1]] + [1] * (len(x) - 2)
    elif mode == "element":
        shape = [1, *x[1:]]
    else:
        raise ArgumentError(f"mode must be 'all', 'channel' or 'element', got {mode!r}")
    if math.prod(alpha) != math.prod(shape):
        raise ShapeError(f"Alpha has {math.prod(alpha)} elements, but mode {mode!r} takes {math.prod(shape)}")
    return shape
