"""Rows of stack, unstack and unbind."""

import numpy as np
from tests.ops.cases import case, ragged, rand, refuse

for axis in (0, 1, -1):
    case("stack", X=[rand(3, 4), rand(3, 4)], axis=axis, expect=lambda X, axis: np.stack(X, axis))
case("stack", X=[rand(3)], expect=lambda X: np.stack(X))
case("stack", X=[ragged([[2, 1]], 4), rand(3, 4)], axis=1, expect=lambda X: np.stack(X, 1), expect_lod=[[2, 1]])
case("stack", X=[ragged([[2, 1]], 4), rand(3, 4)], expect=lambda X: np.stack(X), expect_lod=[])
refuse("stack", X=[rand(3, 4), rand(3, 5)], says="stack: X[1] has shape [3, 5], but X[0] has shape [3, 4]")
refuse("stack", X=[rand(3)], axis=2, says="axis must be in [-2, 1] for a tensor of rank 2, got 2")


def apart(X, axis):
    return [np.take(X, i, axis) for i in range(X.shape[axis])]


case("unstack", X=rand(3, 4), axis=1, num=4, expect=apart)
case("unstack", X=rand(3, 4), num=3, expect=apart, batch="")
case("unstack", X=rand(3), num=3, expect=lambda X: [X[:1], X[1:2], X[2:]], batch="")
refuse("unstack", X=rand(3, 4), axis=1, num=3, says="unstack: axis 1 of X has size 4, but num is 3")
case("unbind", X=rand(3, 4), axis=-1, expect=apart)
case("unbind", X=rand(3), expect=lambda X: [X[:1], X[1:2], X[2:]], batch="")
case("unbind", X=ragged([[2, 1]], 2), axis=1, expect=apart, expect_lod="X")
refuse("unbind", X=rand(3), axis=1, says="axis must be in [-1, 0] for a tensor of rank 1, got 1")
