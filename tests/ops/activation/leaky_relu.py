"""Rows of leaky_relu."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse


def leaky_relu(X, alpha):
    return np.maximum(X, alpha * X)


case("leaky_relu", X=rand(3, 4, away_from=0), alpha=0.1, expect=leaky_relu)
case("leaky_relu", X=rand(3, 4, away_from=0), expect=lambda X: np.maximum(X, 0.02 * X))
case("leaky_relu", X=rand(3, 4, away_from=0), alpha=2.0, expect=leaky_relu)
case(
    "leaky_relu",
    X=rand(3, 4, away_from=0),
    alpha=-0.5,
    expect=leaky_relu,
    grad=False,
    why="Out does not tell the sign of X when alpha is negative, and Out is what the gradient reads",
)
case("leaky_relu", X=ragged(lengths=[[2, 1]], width=4), expect_lod="X")
refuse("leaky_relu", X=ints(3), says="leaky_relu: X must be floating point, got int64")
