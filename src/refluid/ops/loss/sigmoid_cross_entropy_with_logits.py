"""sigmoid_cross_entropy_with_logits: binary cross entropy per element, from logits."""

from __future__ import annotations

import torch

from refluid.ops.loss.labels import same_shape
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", lod="X", dtypes={"X": FLOATS, "Label": FLOATS}, nograd="Label", late="Label")
def sigmoid_cross_entropy_with_logits(
    X: Tensor, Label: Tensor, *, normalize: bool = False, ignore_index: int = -100
) -> Tensor:
    """Out = max(X, 0) - X * Label + log(1 + exp(-|X|)); zero where Label is `ignore_index`."""
    same_shape(X, Label, "X Label")
    ignored = Label == ignore_index
    out = torch.binary_cross_entropy_with_logits(X, Label, reduction=0).masked_fill(ignored, 0)
    return out / _valid_count(ignored) if normalize else out


@sigmoid_cross_entropy_with_logits.grad
def sigmoid_cross_entropy_with_logits_grad(
    X: Tensor, Label: Tensor, Out_grad: Tensor, *, normalize: bool, ignore_index: int
) -> Tensor:
    ignored = Label == ignore_index
    x_grad = ((torch.sigmoid(X) - Label) * Out_grad).masked_fill(ignored, 0)
    return x_grad / _valid_count(ignored) if normalize else x_grad


def _valid_count(ignored: Tensor) -> Tensor:
    """The number of elements that are not ignored, at least 1."""
    return (~ignored).sum().clamp(min=1)
