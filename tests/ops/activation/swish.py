"""Rows of swish, hard_swish, mish."""

import numpy as np
from tests.ops.cases import case, rand, spread


def swish(X, beta=1.0):
    return X / (1 + np.exp(-beta * X))


def hard_swish(X, threshold=6.0, scale=6.0, offset=3.0):
    return X * np.clip(X + offset, 0, threshold) / scale


case("swish", X=rand(3, 4, low=-3, high=3), expect=swish)
case("swish", X=rand(3, 4, low=-3, high=3), beta=2.0, expect=swish)

case("hard_swish", X=spread(3, 6, step=0.7), expect=hard_swish)
case("hard_swish", X=spread(3, 6, step=0.7), threshold=4.0, scale=5.0, offset=2.0, expect=hard_swish)

case("mish", X=rand(3, 4, low=-3, high=3), expect=lambda X: X * np.tanh(np.log1p(np.exp(X))))
case(
    "mish",
    X=np.array([-2.0, 0.5, 2.0]),
    threshold=1.0,
    grad=False,
    expect=lambda X: X * np.tanh([np.exp(-2.0), np.log1p(np.exp(0.5)), 2.0]),
    why="Fluid takes the slope of softplus from its value, on all three pieces",
)
