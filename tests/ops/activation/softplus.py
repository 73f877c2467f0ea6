"""Rows of softplus and soft_relu."""

import numpy as np
from tests.ops.cases import case, rand


def softplus(X):
    return np.log1p(np.exp(X))


case("softplus", X=rand(3, 4, low=-5, high=5), expect=softplus)
case("softplus", X=np.array([-700.0, 700.0]), expect=np.array([0.0, 700.0]))

case("soft_relu", X=rand(3, 4, low=-5, high=5), expect=softplus)
case("soft_relu", X=rand(3, 4, low=-2, high=1), threshold=2.0, expect=softplus)
case(
    "soft_relu",
    X=np.array([-9.0, 9.0]),
    threshold=2.0,
    expect=softplus(np.array([-2.0, 2.0])),
    grad=False,
    why="Fluid: the gradient below -threshold is that of exp(-threshold), not 0",
)
