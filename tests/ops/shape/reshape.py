"""Rows of reshape and reshape2."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse


def sizes(*numbers):
    return np.array(numbers, "int32")


for op in ("reshape", "reshape2"):
    case(op, X=rand(2, 3, 4), shape=[4, 6], expect=lambda X: X.reshape(4, 6))
    case(op, X=rand(2, 3, 4), shape=[0, -1], expect=lambda X: X.reshape(2, 12))
    case(op, X=rand(2, 3, 4), shape=[-1, 0, 2], expect=lambda X: X.reshape(4, 3, 2))
    case(op, X=ints(4), shape=[2, 2], expect=lambda X: X.reshape(2, 2))
    case(op, X=rand(0, 4), shape=[0, -1], expect=lambda X: X.reshape(0, 4))
    case(op, X=rand(2, 3, 4), Shape=sizes(4, -1), batch="X", expect=lambda X: X.reshape(4, 6))
    case(
        op,
        X=rand(2, 3, 4),
        ShapeTensor=[sizes(4), sizes(6)],
        shape=[-1, 6],
        batch="X",
        expect=lambda X: X.reshape(4, 6),
    )
    case(op, X=ragged([[2, 1]], 4), shape=[-1, 2, 2], expect=lambda X: X.reshape(3, 2, 2), expect_lod="X")
    case(op, X=ragged([[2, 1]], 4), shape=[-1, 2], expect=lambda X: X.reshape(6, 2), expect_lod=[])
    refuse(op, X=rand(2, 3, 4), shape=[5, -1], says=f"{op}: X of shape [2, 3, 4] cannot be reshaped to [5, -1]")
    refuse(op, X=rand(2, 3, 4), shape=[6, 5], says="X of shape [2, 3, 4] has 24 elements, but shape [6, 5] takes 30")
    refuse(op, X=rand(2, 3, 4), shape=[-1, -1], says="shape may have one -1 and no other negative size, got [-1, -1]")
    refuse(op, X=rand(2, 3, 4), shape=[1, 2, 3, 0], says="copies an axis that X does not have")
case("reshape2", X=rand(2, 3), shape=[3, 2], expect=lambda X: {"XShape": np.empty((0, 2, 3))})
