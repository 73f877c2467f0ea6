"""Rows of sigmoid_cross_entropy_with_logits."""

import numpy as np
from tests.ops.cases import case, fixture, ragged, rand, refuse


def entropy(X, Label, ignore_index, normalize):
    out = np.maximum(X, 0) - X * Label + np.log1p(np.exp(-np.abs(X)))
    kept = Label != ignore_index
    return np.where(kept, out, 0) / (max(kept.sum(), 1) if normalize else 1)


OP = "sigmoid_cross_entropy_with_logits"
LABELS = np.array([[0.0, 1.0, -1.0, 0.5], [0.25, -1.0, 1.0, 0.0]])
case(OP, X=rand(2, 4, low=-3, high=3), Label=rand(2, 4, low=0), expect=entropy)
case(OP, X=rand(2, 4), Label=LABELS, ignore_index=-1, expect=entropy)
case(OP, X=rand(2, 4), Label=LABELS, ignore_index=-1, normalize=True, expect=entropy)
case(OP, X=rand(2, 4), Label=np.full((2, 4), -1.0), ignore_index=-1, normalize=True, expect=np.zeros((2, 4)))
case(OP, X=rand(2, 2, 3), Label=rand(2, 2, 3, low=0), expect=entropy)
case(OP, X=ragged([[2, 1]], 4), Label=rand(3, 4, low=0), expect_lod="X")
refuse(OP, X=rand(2, 4), Label=rand(2, 3), says="X has shape [2, 4], but Label has [2, 3]")
fixture(OP)
