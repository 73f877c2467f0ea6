"""cross_entropy, cross_entropy2: the negative logarithm of the probability given to the label."""

from __future__ import annotations

from typing import Any

import torch

from refluid.ops.infer import Spec
from refluid.ops.loss.labels import class_index, column_of, same_shape
from refluid.ops.registry import FLOATS, Shape, Tensor, op


def tolerable_log(x: Tensor) -> Tensor:
    """log(x), where Fluid takes log(0) for -1e20, so that a sum over many samples stays a number."""
    return torch.log(x).clamp_min(-1e20 if x.dtype != torch.float16 else -65504.0)


@op("Y", lod="X", dtypes={"X": FLOATS}, nograd="Label")
def cross_entropy(X: Tensor, Label: Tensor, *, soft_label: bool = False, ignore_index: int = -100) -> Tensor:
    """Y = -log(X[label]), or -sum(Label * log(X)) for soft labels; X holds probabilities along its last axis."""
    if soft_label:
        same_shape(X, Label, "X Label")
        return -(Label * tolerable_log(X)).sum(-1, keepdim=True)
    return cross_entropy2.kernel(X, Label, ignore_index=ignore_index)[0]


@cross_entropy.grad
def cross_entropy_grad(X: Tensor, Label: Tensor, Y_grad: Tensor, *, soft_label: bool, ignore_index: int) -> Tensor:
    if soft_label:
        return -(Label * Y_grad) / X
    index, ignored = class_index(column_of(Label, X.shape, -1), X.shape[-1], ignore_index)
    return _scattered(X.shape, index, ignored, X.gather(-1, index), Y_grad)


@op("Y XShape MatchX", lod="X", dtypes={"X": FLOATS}, nograd="Label", intermediate="XShape MatchX")
def cross_entropy2(X: Tensor, Label: Tensor, *, ignore_index: int = -100) -> tuple[Tensor, Tensor, Tensor]:
    """Y = -log(X[label]). MatchX is X[label] (0 where ignored); XShape is empty and has X's shape for the gradient."""
    index, ignored = class_index(column_of(Label, X.shape, -1), X.shape[-1], ignore_index)
    match = X.gather(-1, index)
    y = -tolerable_log(match)
    if ignored is not None:
        match, y = match.masked_fill(ignored, 0), y.masked_fill(ignored, 0)
    return y.reshape(Label.shape), X.new_empty((*X.shape, 0)), match


@cross_entropy2.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec] | None:
    x, label = inputs
    if label.shape != (*x.shape[:-1], 1):
        return None
    column = Spec(label.shape, x.dtype)
    return [column, Spec((*x.shape, 0), x.dtype), column]


@cross_entropy2.grad(type="cross_entropy_grad2", once=True)
def cross_entropy_grad2(Label: Tensor, MatchX: Tensor, XShape: Shape, Y_grad: Tensor, *, ignore_index: int) -> Tensor:
    shape = XShape[:-1]
    index, ignored = class_index(column_of(Label, shape, -1), shape[-1], ignore_index)
    return _scattered(shape, index, ignored, MatchX, Y_grad)


def _scattered(shape: Shape, index: Tensor, ignored: Tensor | None, match: Tensor, y_grad: Tensor) -> Tensor:
    """-y_grad / match at the labels, zero elsewhere."""
    if ignored is not None:
        match = match.masked_fill(ignored, 1)  # the quotient is not used, but must be differentiable
    at_label = torch.div(y_grad if y_grad.shape == match.shape else y_grad.reshape(match.shape), -match)
    if ignored is not None:
        at_label = at_label.masked_fill(ignored, 0)
    return torch.zeros(shape, dtype=match.dtype, device=match.device).scatter_(-1, index, at_label)
