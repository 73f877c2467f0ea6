"""Rows of the losses over class labels: bpr_loss, nll_loss, sigmoid_focal_loss, center_loss."""

import numpy as np
from tests.ops.cases import case, fixture, ints, rand, refuse


def bpr(X, Label):
    others = [[np.log1p(np.exp(x[j] - x[label])) for j in range(len(x)) if j != label] for x, (label,) in zip(X, Label)]
    return np.mean(others, axis=1, keepdims=True)


case("bpr_loss", X=rand(3, 4), Label=ints(3, 1, high=4), expect=bpr)
refuse("bpr_loss", X=rand(2, 4), Label=np.array([[1], [4]]), says="Label holds 4 at row 1, but X has 4 classes")


def nll(X, Label, Weight, ignore_index, reduction):
    weight = np.ones(X.shape[1]) if Weight is None else Weight
    kept = Label != ignore_index
    label = np.where(kept, Label, 0)
    w = np.where(kept, weight[label], 0)
    out = -w * np.take_along_axis(X, label[:, None], 1)[:, 0]
    total = w.sum()
    return {"none": (out, 0.0), "sum": (out.sum(), total), "mean": (out.sum() / max(total, 1e-9), total)}[reduction]


for reduction in ("none", "mean", "sum"):
    case(
        "nll_loss", X=rand(3, 4), Label=np.array([1, -100, 3]), Weight=rand(4, low=0.5), reduction=reduction, expect=nll
    )
    case("nll_loss", X=rand(2, 4, 3, 2), Label=ints(2, 3, 2, high=4), reduction=reduction, expect=nll)
case("nll_loss", X=rand(2, 4), Label=np.array([-100, -100]), expect=nll, grad=False, why="0 / 0")
refuse("nll_loss", X=rand(2, 4), Label=np.array([0, 4]), says="Label holds 4 at row 1, but X has 4 classes")
refuse(
    "nll_loss", X=rand(2, 4), Label=ints(2, 1), says="Label must have shape [2] to match X of shape [2, 4], got [2, 1]"
)
refuse(
    "nll_loss",
    X=rand(2, 4),
    Label=ints(2, high=4),
    Weight=rand(3),
    says="Weight must have shape [4], one weight per class, got [3]",
)
refuse("nll_loss", X=rand(4), Label=ints(4), says="X must have 2 or 4 axes, got shape [4]")
refuse(
    "nll_loss",
    X=rand(2, 4),
    Label=ints(2, high=4),
    reduction="max",
    says="reduction must be one of none, mean, sum, got 'max'",
)


def focal(X, Label, FgNum, gamma, alpha):
    p = 1 / (1 + np.exp(-X))
    own = Label == np.arange(1, X.shape[1] + 1)
    loss = np.where(own, -alpha * (1 - p) ** gamma * np.log(p), -(1 - alpha) * p**gamma * np.log(1 - p))
    return np.where(Label == -1, 0, loss) / max(FgNum[0], 1)


FOCAL = {"Label": np.array([[0], [2], [4], [-1]], "int32"), "expect": focal, "batch": "X Label"}
case("sigmoid_focal_loss", X=rand(4, 4), FgNum=np.array([2], "int32"), **FOCAL)
case("sigmoid_focal_loss", X=rand(4, 4), FgNum=np.array([0], "int32"), gamma=1.5, alpha=0.5, **FOCAL)
refuse(
    "sigmoid_focal_loss",
    X=rand(1, 4),
    Label=np.array([[5]]),
    FgNum=np.array([1]),
    says="Label holds 5 at row 0, but X with the background has 5 classes",
)


def centers(X, Label, Centers, CenterUpdateRate, need_update):
    label = Label[:, 0]
    diff = X - Centers[label]
    moved = Centers.copy()
    for c in range(len(Centers)) if need_update else ():
        moved[c] += CenterUpdateRate * diff[label == c].sum(0) / (1 + (label == c).sum())
    return moved, diff, (diff**2).sum(1, keepdims=True) / 2


for need_update in (True, False):
    case(
        "center_loss",
        X=rand(4, 3),
        Label=np.array([[1], [0], [1], [1]]),
        Centers=rand(5, 3),
        CenterUpdateRate=np.array([0.5]),
        cluster_num=5,
        need_update=need_update,
        expect=centers,
        batch="X Label",
        grad=not need_update,
        why="a replay would move the centres once more",
    )
refuse(
    "center_loss",
    X=rand(2, 3),
    Label=np.array([[1], [5]]),
    Centers=rand(5, 3),
    CenterUpdateRate=np.array([0.5]),
    cluster_num=5,
    need_update=True,
    says="Label holds 5 at row 1, but Centers has 5 classes",
)

for op in ("bpr_loss", "nll_loss", "sigmoid_focal_loss", "center_loss"):
    fixture(op)
