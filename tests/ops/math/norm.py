"""Rows of the norms and distances."""

import numpy as np
from tests.ops.cases import case, ragged, rand, refuse, spread


def normed(X, axis, epsilon=1e-10):
    length = np.sqrt((X * X).sum(axis, keepdims=True) + epsilon)
    return length, X / length


case("norm", X=rand(3, 4), axis=1, expect=normed)
case("norm", X=rand(2, 3, 4), axis=-2, epsilon=0.1, expect=normed)
case("norm", X=rand(2, 3), axis=0, expect=normed)
refuse("norm", X=rand(2, 3), axis=2, says="norm: axis must be in [-2, 1] for X of rank 2, got 2")

for porder in (1.0, 2.0, 3.5):
    case(
        "p_norm",
        X=rand(3, 4, away_from=0),
        porder=porder,
        axis=1,
        expect=lambda X, porder: (np.abs(X) ** porder).sum(1) ** (1 / porder),
    )
case(
    "p_norm", X=rand(3, 4), axis=0, keepdim=True, epsilon=1e-12, expect=lambda X: np.sqrt((X * X).sum(0, keepdims=True))
)
case("p_norm", X=rand(4), axis=0, expect=lambda X: np.sqrt((X * X).sum()))
refuse("p_norm", X=rand(4), porder=0.0, says="p_norm: porder must be positive and finite, got 0.0")
refuse("p_norm", X=rand(4), axis=1, says="p_norm: axis must be in [-1, 0] for X of rank 1, got 1")

case("l1_norm", X=rand(3, 4, away_from=0), expect=lambda X: np.abs(X).sum())
case("squared_l2_norm", X=rand(3, 4), expect=lambda X: (X * X).sum())

case(
    "squared_l2_distance",
    X=rand(3, 4),
    Y=rand(3, 4),
    batch="X Y",
    expect=lambda X, Y: (X - Y, ((X - Y) ** 2).sum(1, keepdims=True)),
)
case(
    "squared_l2_distance",
    X=rand(3, 4),
    Y=rand(1, 4),
    batch="X",
    expect=lambda X, Y: (X - Y, ((X - Y) ** 2).sum(1, keepdims=True)),
)
case(
    "squared_l2_distance",
    X=rand(3, 2, 2),
    Y=rand(3, 2, 2),
    expect=lambda X, Y: ((X - Y).reshape(3, 4), ((X - Y) ** 2).sum((1, 2)).reshape(3, 1)),
)
case("squared_l2_distance", X=ragged([[2, 1]], 4), Y=rand(3, 4), expect_lod={"sub_result": [], "Out": "X"})
refuse("squared_l2_distance", X=rand(3, 4), Y=rand(2, 4), says="X has rows of 4, but Y has shape [2, 4]")
refuse("squared_l2_distance", X=rand(3), Y=rand(3), says="X and Y must have one rank, at least 2")

for p in (1.0, 2.0, 3.0):
    case(
        "dist",
        X=spread(2, 3),
        Y=spread(3, step=0.3) + 3,
        p=p,
        expect=lambda X, Y, p: (np.abs(X - Y) ** p).sum() ** (1 / p),
    )
case(
    "dist",
    X=spread(2, 3),
    Y=np.zeros(3),
    p=float("inf"),
    expect=lambda X: np.abs(X).max(),
    grad=False,
    why="two elements are equally far",
)
case(
    "dist",
    X=spread(2, 3),
    Y=np.zeros(3),
    p=float("-inf"),
    expect=lambda X: np.abs(X).min(),
    grad=False,
    why="two elements are equally far",
)
case(
    "dist",
    X=np.array([1.0, 2.0, 3.0]),
    Y=np.array([1.0, 0.0, 0.0]),
    p=0.0,
    expect=np.array([2.0]),
    grad=False,
    why="a count has no slope",
)
