"""Rows of sigmoid, logsigmoid, tanh, stanh, softsign, hard_sigmoid."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse


def sigmoid(X):
    return 1 / (1 + np.exp(-X))


case("sigmoid", X=rand(3, 4, low=-4, high=4), expect=sigmoid)
case("sigmoid", X=ragged(lengths=[[1, 3]], width=2), expect_lod="X", expect=sigmoid)
refuse("sigmoid", X=ints(3), says="sigmoid: X must be floating point, got int64")

case("logsigmoid", X=rand(3, 4, low=-4, high=4), expect=lambda X: np.log(sigmoid(X)))
case("logsigmoid", X=np.array([-800.0, 800.0]), expect=np.array([-800.0, 0.0]))

case("tanh", X=rand(3, 4, low=-2, high=2), expect=lambda X: np.tanh(X))

case("stanh", X=rand(3, 4, low=-2, high=2), expect=lambda X: 1.7159 * np.tanh(0.67 * X))
case("stanh", X=rand(3, 4), scale_a=0.5, scale_b=3.0, expect=lambda X: 3 * np.tanh(0.5 * X))

case("softsign", X=rand(3, 4, low=-3, high=3, away_from=0), expect=lambda X: X / (1 + np.abs(X)))

case("hard_sigmoid", X=rand(3, 4, low=-2, high=2), expect=lambda X: np.clip(0.2 * X + 0.5, 0, 1))
case("hard_sigmoid", X=rand(9, low=0.5, high=2), slope=0.5, offset=-0.1, expect=lambda X: np.clip(0.5 * X - 0.1, 0, 1))
case(
    "hard_sigmoid",
    X=np.array([-9.0, -3.0, 3.0, 9.0]),
    expect=np.array([0.0, 0.0, 1.0, 1.0]),
    expect_lod=[],
)
