"""Rows of softshrink, hard_shrink, tanh_shrink."""

import numpy as np
from tests.ops.cases import case, rand, spread


def softshrink(X, by):
    return np.sign(X) * np.maximum(np.abs(X) - by, 0)


case("softshrink", X=spread(3, 4, step=0.3), expect=lambda X: softshrink(X, 0.5))
case("softshrink", X=spread(3, 4, step=0.3), **{"lambda": 0.8}, expect=lambda X: softshrink(X, 0.8))

case("hard_shrink", X=spread(3, 4, step=0.3), expect=lambda X: np.where(np.abs(X) > 0.5, X, 0))
case("hard_shrink", X=spread(3, 4, step=0.3), threshold=1.3, expect=lambda X: np.where(np.abs(X) > 1.3, X, 0))

case("tanh_shrink", X=rand(3, 4, low=-3, high=3), expect=lambda X: X - np.tanh(X))
