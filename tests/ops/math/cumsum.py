"""Rows of cumsum."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse


def cumsum(X, axis, exclusive, reverse):
    if reverse:
        return np.flip(cumsum(np.flip(X, axis), axis, exclusive, False), axis)
    return np.cumsum(X, axis, dtype=X.dtype) - (X if exclusive else 0)


for exclusive in (False, True):
    for reverse in (False, True):
        case("cumsum", X=rand(2, 3, 4), axis=1, exclusive=exclusive, reverse=reverse, expect=cumsum)
case("cumsum", X=rand(2, 3), expect=cumsum)
case("cumsum", X=ints(2, 3, dtype="int32"), axis=0, expect=cumsum)
case("cumsum", X=ragged([[2, 1]], 4), axis=0, expect=cumsum, expect_lod="X")
refuse("cumsum", X=rand(2, 3), axis=2, says="cumsum: axis must be in [-2, 1] for X of rank 2, got 2")
