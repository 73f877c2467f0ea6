"""Rows of flatten and flatten2."""

from tests.ops.cases import case, ragged, rand, refuse

for op in ("flatten", "flatten2"):
    case(op, X=rand(2, 3, 4), expect=lambda X: X.reshape(2, 12))
    case(op, X=rand(2, 3, 4), axis=0, expect=lambda X: X.reshape(1, 24))
    case(op, X=rand(2, 3, 4), axis=3, expect=lambda X: X.reshape(24, 1))
    case(op, X=ragged([[2, 1]], (2, 2)), expect=lambda X: X.reshape(3, 4), expect_lod="X")
    case(op, X=ragged([[2, 1]], (2, 2)), axis=2, expect=lambda X: X.reshape(6, 2), expect_lod=[])
    refuse(op, X=rand(2, 3), axis=3, says="axis must be in [0, 2] for a tensor of rank 2, got 3")
    refuse(op, X=rand(2, 3), axis=-1, says="axis must be in [0, 2] for a tensor of rank 2, got -1")
