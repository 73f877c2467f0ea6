"""One call for the mean of squared differences, the loss of a regression, and one for its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from refluid.executor.step import Step
from refluid.ops.aten import aten
from refluid.ops.math.elementwise import elementwise_sub, elementwise_sub_grad
from refluid.ops.math.mean import mean, mean_grad
from refluid.ops.math.unary import square
from refluid.ops.registry import OpDef, Tensor

squared_differences = torch._C._nn.mse_loss  # without a reduction, as it is by default here
mse_loss_backward = aten("mse_loss_backward")
_MEAN = 1  # the number of that reduction in ATen


def fuse_mean_squares(steps: list[Step], fetches: set[str], persistable: Callable[[str], bool]) -> list[Step]:
    """mean(square(x - y)) becomes one step, and the three gradients of it another."""
    readers: dict[str, list[Step]] = {}
    writers: dict[str, list[Step]] = {}
    for step in steps:
        for name in set(step.reads()):
            readers.setdefault(name, []).append(step)
        for name in step.writes():
            writers.setdefault(name, []).append(step)

    def maker(name: str | None, type: str) -> Step | None:
        """The step of this type that makes a temporary which nobody asks for."""
        found = writers.get(name or "", [])
        fits = len(found) == 1 and found[0].op.type == type and found[0].kernel is None and name not in fetches
        return found[0] if fits and not persistable(name or "") else None

    def reader(name: str | None, type: str, besides: Step | None) -> Step | None:
        """The step of this type that reads a variable which nobody else reads, but `besides`."""
        others = [step for step in readers.get(name or "", []) if step is not besides]
        return others[0] if len(others) == 1 and others[0].op.type == type else None

    replaced: dict[int, Step | None] = {}
    for step in steps:
        squares = maker(step.inputs[0][0], "square") if step.op.type == "mean" else None
        difference = maker(squares.inputs[0][0], "elementwise_sub") if squares is not None else None
        if squares is None or difference is None:
            continue
        (x, y), attrs = difference.inputs, {"axis": difference.attrs.get("axis", -1)}
        if any(len(writers.get(name or "", ())) > 1 for name in (*x, *y)):
            continue
        if any(len(readers[temporary or ""]) > 1 for temporary in (step.inputs[0][0], squares.inputs[0][0])):
            first = reader(step.inputs[0][0], "mean_grad", step)
            second = reader(squares.inputs[0][0], "square_grad", squares)
            if first is None or second is None or second is not reader(first.outputs[0][0], "square_grad", None):
                continue
            third = reader(second.outputs[0][0], "elementwise_sub_grad", None)
            between = [(first.outputs[0][0], "mean_grad"), (second.outputs[0][0], "square_grad")]
            if third is None or any(maker(name, type) is None for name, type in between):
                continue
            loss_grad = first.inputs[first.op.input_index["Out@GRAD"]]
            replaced[id(first)] = replaced[id(second)] = None
            replaced[id(third)] = Step(
                _MeanSquaresGrad, third.operator, [x, y, loss_grad], third.outputs, attrs, label="mean_squares_grad"
            )
        replaced[id(difference)] = replaced[id(squares)] = None
        replaced[id(step)] = Step(_MeanSquares, difference.operator, [x, y], step.outputs, attrs, label="mean_squares")
    result = [replaced.get(id(step), step) for step in steps]
    return [step for step in result if step is not None]


def _quick(x: Tensor, y: Tensor) -> bool:
    return x.shape == y.shape and x.dtype is y.dtype and x.dtype in (torch.float32, torch.float64)


def _mean_squares(X: Tensor, Y: Tensor, *, axis: int = -1) -> Any:
    if _quick(X, Y):
        return mean.kernel(squared_differences(X, Y))
    return mean.kernel(square.kernel(elementwise_sub.kernel(X, Y, axis=axis)))


def _mean_squares_grad(X: Tensor, Y: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...], axis: int = -1) -> Any:
    if _quick(X, Y):
        x_grad = mse_loss_backward(Out_grad, X, Y, _MEAN)
        return x_grad, x_grad.neg() if needs[1] else None
    difference = elementwise_sub.kernel(X, Y, axis=axis)
    grad = difference * mean_grad.kernel(difference.shape, Out_grad) * 2
    return elementwise_sub_grad.kernel(X.shape, Y.shape, grad, needs=needs, axis=axis)


# Not registered: they exist in plans only.
_MeanSquares = OpDef(_mean_squares, "Out", type="mean_squares", lod=None, nograd="*")
_MeanSquaresGrad = OpDef(
    _mean_squares_grad, "X@GRAD Y@GRAD", type="mean_squares_grad", dispensable="X@GRAD Y@GRAD", lod=None, nograd="*"
)
