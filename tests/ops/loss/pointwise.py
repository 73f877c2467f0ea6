"""Rows of the losses that compare two tensors element by element."""

import numpy as np
from tests.ops.cases import case, fixture, rand, refuse

SIGNS = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])


def softplus(x):
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


case(
    "hinge_loss",
    Logits=rand(2, 3, high=3, low=-3, away_from=1),
    Labels=SIGNS,
    expect=lambda Logits, Labels: np.maximum(0, 1 - (2 * Labels - 1) * Logits),
)
refuse("hinge_loss", Logits=rand(2, 3), Labels=rand(2, 1), says="Logits has shape [2, 3], but Labels has [2, 1]")


def huber(X, Y, delta):
    r = Y - X
    return r, np.where(np.abs(r) <= delta, r * r / 2, delta * (np.abs(r) - delta / 2))


case("huber_loss", X=rand(8, 1, high=3), Y=rand(8, 1), delta=0.5, expect=huber)
case("huber_loss", X=rand(3, 4), Y=rand(3, 4), delta=1.5, expect=huber)
refuse("huber_loss", X=rand(3, 1), Y=rand(3), delta=1.0, says="X has shape [3, 1], but Y has [3]")
refuse("huber_loss", X=rand(3, 1), Y=rand(3, 1), says="huber_loss: attribute 'delta' is missing")


def smooth_l1(X, Y, sigma, InsideWeight=1.0, OutsideWeight=1.0):
    d = InsideWeight * (X - Y)
    error = np.where(np.abs(d) < 1 / sigma**2, (sigma * d) ** 2 / 2, np.abs(d) - 0.5 / sigma**2)
    return d, (OutsideWeight * error).reshape(len(X), -1).sum(1, keepdims=True)


WEIGHTS = {"InsideWeight": rand(3, 4, low=0.5), "OutsideWeight": rand(3, 4, low=0.5)}
case("smooth_l1_loss", X=rand(3, 4), Y=rand(3, 4), expect=lambda X, Y, sigma: smooth_l1(X, Y, sigma))
case("smooth_l1_loss", X=rand(3, 2, 2), Y=rand(3, 2, 2), sigma=2.0, expect=lambda X, Y, sigma: smooth_l1(X, Y, sigma))
case("smooth_l1_loss", X=rand(3, 4), Y=rand(3, 4), sigma=2.0, **WEIGHTS, expect=smooth_l1)
refuse("smooth_l1_loss", X=rand(3, 4), Y=rand(3, 5), says="X has shape [3, 4], but Y has [3, 5]")

case(
    "log_loss",
    Predicted=rand(2, 3, low=0.1, high=0.9),
    Labels=SIGNS,
    epsilon=1e-4,
    expect=lambda Predicted, Labels, epsilon: (
        -Labels * np.log(Predicted + epsilon) - (1 - Labels) * np.log(1 - Predicted + epsilon)
    ),
)
refuse("log_loss", Predicted=rand(2, 3), Labels=rand(3, 2), epsilon=1e-4, says="Predicted has shape [2, 3]")

DIVISORS = {"none": 1, "sum": 1, "batchmean": 3, "mean": 12}


def kldiv(X, Target, reduction):
    loss = np.where(Target > 0, Target * (np.log(np.abs(Target)) - X), 0)
    return loss if reduction == "none" else loss.sum() / DIVISORS[reduction]


for reduction in DIVISORS:
    case("kldiv_loss", X=rand(3, 4), Target=rand(3, 4), reduction=reduction, expect=kldiv)
refuse(
    "kldiv_loss",
    X=rand(2),
    Target=rand(2),
    reduction="max",
    says="reduction must be one of none, batchmean, mean, sum, got 'max'",
)

case(
    "margin_rank_loss",
    X1=rand(6, 1, low=-3, high=3),
    X2=rand(6, 1),
    Label=np.array([[1.0], [-1.0], [1.0], [-1.0], [1.0], [-1.0]]),
    margin=0.1,
    expect=lambda X1, X2, Label, margin: (None, np.maximum(0, margin - Label * (X1 - X2))),
)
refuse(
    "margin_rank_loss", X1=rand(6, 1), X2=rand(5, 1), Label=rand(6, 1), says="X1 has shape [6, 1], but X2 has [5, 1]"
)

case(
    "rank_loss",
    Label=np.array([[1.0], [0.0], [0.5]]),
    Left=rand(3, 1),
    Right=rand(3, 1),
    expect=lambda Label, Left, Right: softplus(Left - Right) - Label * (Left - Right),
)
refuse(
    "rank_loss", Label=rand(3, 1), Left=rand(2, 1), Right=rand(2, 1), says="Left has shape [2, 1], but Label has [3, 1]"
)


def modified_huber(X, Y):
    v = X * (2 * Y - 1)
    return v, np.where(v < -1, -4 * v, np.where(v < 1, (1 - v) ** 2, 0))


case("modified_huber_loss", X=np.array([[-3.0, -0.5, 0.5], [2.0, -2.0, 0.3]]), Y=SIGNS, expect=modified_huber)
refuse("modified_huber_loss", X=rand(3, 1), Y=rand(2, 1), says="X has shape [3, 1], but Y has [2, 1]")


def distilled(X, Label):
    click = np.where((Label >= 1) | ((Label < 0) & (Label >= -1)), 1, 0)
    with_teacher = Label >= 0
    teacher = Label - click
    return softplus(X) - click * X + np.where(with_teacher, softplus(X) - teacher * X, 0)


case(
    "teacher_student_sigmoid_loss",
    X=rand(5, 1, low=-3, high=3),
    Label=np.array([[-2.0], [-1.0], [0.5], [1.5], [0.2]]),
    expect=distilled,
)
case(
    "bce_loss",
    X=rand(2, 3, low=0.1, high=0.9),
    Label=SIGNS,
    expect=lambda X, Label: -Label * np.log(X) - (1 - Label) * np.log(1 - X),
)
case(
    "bce_loss",
    X=np.array([0.0, 1.0]),
    Label=np.array([1.0, 0.0]),
    expect=np.array([100.0, 100.0]),
    grad=False,
    why="infinite",
)
refuse(
    "bce_loss",
    X=np.array([0.5, 1.5]),
    Label=np.array([0.0, 1.0]),
    says="X must hold probabilities from 0 to 1, got 1.5",
)

for op in (
    "hinge_loss",
    "huber_loss",
    "smooth_l1_loss",
    "log_loss",
    "kldiv_loss",
    "margin_rank_loss",
    "rank_loss",
    "modified_huber_loss",
    "teacher_student_sigmoid_loss",
    "bce_loss",
):
    fixture(op)
