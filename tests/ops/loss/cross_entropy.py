"""Rows of cross_entropy and cross_entropy2."""

import numpy as np
from tests.ops.cases import case, fixture, ints, ragged, rand, refuse


def picked(X, Label):
    label = np.asarray(Label).reshape(*X.shape[:-1], 1)
    return -np.log(np.take_along_axis(X, label, -1)).reshape(np.shape(Label))


def with_ignored(X, Label, ignore_index):
    kept = np.where(Label == ignore_index, 0, Label)
    return np.where(Label == ignore_index, 0, picked(X, kept))


for op in ("cross_entropy", "cross_entropy2"):
    case(op, X=rand(3, 4, low=0.1), Label=ints(3, 1, high=4), expect=picked)
    case(op, X=rand(2, 3, 4, low=0.1), Label=ints(2, 3, 1, high=4), expect=picked)
    case(op, X=rand(3, 4, low=0.1), Label=ints(3, high=4), expect=picked)
    case(op, X=rand(3, 4, low=0.1), Label=ints(3, 1, high=4, dtype="int32"), expect=picked)
    case(op, X=rand(3, 4, low=0.1), Label=np.array([[1], [-100], [3]]), ignore_index=-100, expect=with_ignored)
    case(op, X=rand(3, 4, low=0.1), Label=np.array([[1], [2], [1]]), ignore_index=2, expect=with_ignored)
    case(op, X=rand(3, 4, low=0.1), Label=np.array([[1], [255], [1]]), ignore_index=255, expect=with_ignored)
    case(op, X=np.array([[0.0, 1.0]]), Label=np.array([[0]]), expect=np.array([[1e20]]), grad=False, why="infinite")
    case(op, X=ragged([[2, 1]], 4, low=0.1), Label=ints(3, 1, high=4), expect=picked, expect_lod="X")
    refuse(
        op, X=rand(4, 10), Label=np.array([[1], [2], [3], [12]]), says="Label holds 12 at row 3, but X has 10 classes"
    )
    refuse(op, X=rand(2, 10), Label=np.array([[1], [-1]]), says="Label holds -1 at row 1, but X has 10 classes")
    refuse(
        op, X=rand(4, 10), Label=ints(3, 1), says="Label must have shape [4, 1] to match X of shape [4, 10], got [3, 1]"
    )
    refuse(op, X=ints(4, 10), Label=ints(4, 1), says=f"{op}: X must be floating point, got int64")
    fixture(op)

refuse(
    "cross_entropy",
    X=rand(2, 3, 4),
    Label=np.array([[[0], [1], [2]], [[3], [4], [0]]]),
    says="Label holds 4 at position [1, 1, 0], but X has 4 classes",
)
case(
    "cross_entropy",
    X=rand(3, 4, low=0.1),
    Label=rand(3, 4, low=0),
    soft_label=True,
    expect=lambda X, Label: -(Label * np.log(X)).sum(-1, keepdims=True),
)
case(
    "cross_entropy2",
    X=rand(2, 4),
    Label=np.array([[1], [-100]]),
    expect=lambda X: (None, None, [[X[0, 1]], [0.0]]),
    grad=False,
    why="log of negative numbers",
)
refuse(
    "cross_entropy", X=rand(2, 4), Label=rand(2, 3), soft_label=True, says="X has shape [2, 4], but Label has [2, 3]"
)
