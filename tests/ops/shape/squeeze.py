"""Rows of squeeze, squeeze2, unsqueeze and unsqueeze2."""

import numpy as np
from tests.ops.cases import case, ragged, rand, refuse

for op in ("squeeze", "squeeze2"):
    case(op, X=rand(1, 3, 1, 1), expect=lambda X: X.reshape(3), batch="")
    case(op, X=rand(1, 3, 1, 1), axes=[0, -1], expect=lambda X: X.reshape(3, 1), batch="")
    case(op, X=rand(2, 3, 1), axes=[2], expect=lambda X: X.reshape(2, 3))
    case(op, X=rand(1, 1), axes=[0, 1], expect=lambda X: X.reshape(1))
    case(op, X=ragged([[2, 1]], (4, 1)), axes=[2], expect=lambda X: X.reshape(3, 4), expect_lod="X")
    case(op, X=ragged([[1]], (3, 4)), axes=[0], expect=lambda X: X.reshape(3, 4), expect_lod=[])
    case(op, X=rand(2, 1, 3), axes=[1, 2], expect=lambda X: X.reshape(2, 3))
    refuse(op, X=rand(2, 1), axes=[2], says="axes must be in [-2, 1] for a tensor of rank 2, got 2")

for op in ("unsqueeze", "unsqueeze2"):
    case(op, X=rand(2, 3, 4), axes=[0, 2], expect=lambda X: X.reshape(1, 2, 1, 3, 4))
    case(op, X=rand(2, 3, 4), axes=[2, 0], expect=lambda X: X.reshape(1, 2, 3, 1, 4))
    case(op, X=rand(2, 3, 4), axes=[-1, -1], expect=lambda X: X.reshape(2, 3, 4, 1, 1))
    case(op, X=rand(2, 3), AxesTensor=np.array([1, 2], "int32"), expect=lambda X: X.reshape(2, 1, 1, 3), batch="X")
    case(
        op,
        X=rand(2, 3),
        AxesTensorList=[np.array([1], "int32"), np.array([0], "int64")],
        expect=lambda X: X.reshape(1, 2, 1, 3),
        batch="X",
    )
    case(op, X=ragged([[2, 1]], 4), axes=[1], expect=lambda X: X.reshape(3, 1, 4), expect_lod="X")
    case(op, X=ragged([[2, 1]], 4), axes=[0], expect=lambda X: X.reshape(1, 3, 4), expect_lod=[])
    refuse(op, X=rand(2, 3), axes=[3], says="axes must be in [-3, 2] for a tensor of rank 2, got 3")
