"""bpr_loss: Bayesian personalised ranking, the label's score against that of every other class."""

from __future__ import annotations

import torch
from torch.nn.functional import softplus

from refluid.ops.loss.labels import class_index, column_of
from refluid.ops.registry import FLOATS, INDICES, Tensor, op


@op("Y", lod="X", dtypes={"X": FLOATS, "Label": INDICES}, late="Label")
def bpr_loss(X: Tensor, Label: Tensor) -> Tensor:
    """Y = mean over the other classes j of log(1 + exp(X[j] - X[label]))."""
    classes = X.shape[-1]
    index, _ = class_index(column_of(Label, X.shape, -1), classes)
    terms = softplus(X - X.gather(-1, index))
    return terms.scatter(-1, index, 0).sum(-1, keepdim=True) / (classes - 1)


@bpr_loss.grad
def bpr_loss_grad(X: Tensor, Label: Tensor, Y_grad: Tensor) -> Tensor:
    index = column_of(Label, X.shape, -1).long()
    slope = torch.sigmoid(X - X.gather(-1, index)).scatter(-1, index, 0) * (Y_grad / (X.shape[-1] - 1))
    return slope.scatter_add(-1, index, -slope.sum(-1, keepdim=True))
