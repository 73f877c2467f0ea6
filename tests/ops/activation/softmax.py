"""Rows of softmax and log_softmax."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse


def softmax(X, axis=-1):
    shifted = np.exp(X - X.max(axis, keepdims=True))
    return shifted / shifted.sum(axis, keepdims=True)


case("softmax", X=rand(3, 4), expect=softmax)
case("softmax", X=rand(5), expect=softmax)
case("softmax", X=rand(2, 3, 4), axis=1, expect=softmax)
case("softmax", X=rand(2, 3, 4), axis=0, expect=softmax)
case("softmax", X=ragged(lengths=[[2, 1]], width=4), expect_lod="X", expect=softmax)
case("softmax", X=np.array([[1000.0, 0.0]]), expect=np.array([[1.0, 0.0]]))
refuse("softmax", X=ints(3, 4), says="softmax: X must be floating point, got int64")
refuse("softmax", X=rand(3, 4), axis=2, says="softmax: axis must be in [-2, 1] for X of rank 2, got 2")

case("log_softmax", X=rand(3, 4), expect=lambda X: np.log(softmax(X)))
case("log_softmax", X=rand(2, 3, 4), axis=1, expect=lambda X: np.log(softmax(X, 1)))
refuse("log_softmax", X=rand(3), axis=1, says="log_softmax: axis must be in [-1, 0] for X of rank 1, got 1")
