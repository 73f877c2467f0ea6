"""Rows of elu and selu."""

import numpy as np
from tests.ops.cases import case, rand


def elu(X, alpha):
    return np.where(X > 0, X, alpha * np.expm1(X))


case("elu", X=rand(3, 4, low=-2, high=2, away_from=0), expect=lambda X: elu(X, 1.0))
case("elu", X=rand(3, 4, low=-2, high=2, away_from=0), alpha=0.3, expect=elu)

SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772
case("selu", X=rand(3, 4, low=-2, high=2, away_from=0), expect=lambda X: SCALE * elu(X, ALPHA))
case("selu", X=rand(5, low=-2, high=2, away_from=0), scale=2.0, alpha=0.5, expect=lambda X: 2 * elu(X, 0.5))
