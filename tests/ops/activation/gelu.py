"""Rows of gelu."""

import math

import numpy as np
from tests.ops.cases import case, rand


def exact(X):
    return X * 0.5 * (1 + np.vectorize(math.erf)(X / math.sqrt(2)))


def by_tanh(X):
    return X * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (X + 0.044715 * X**3)))


case("gelu", X=rand(3, 4, low=-3, high=3), expect=exact)
case("gelu", X=rand(3, 4, low=-3, high=3), approximate=True, expect=by_tanh)
