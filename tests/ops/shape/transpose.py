"""Rows of transpose and transpose2."""

from tests.ops.cases import case, ragged, rand, refuse

for op in ("transpose", "transpose2"):
    case(op, X=rand(2, 3, 4), axis=[2, 0, 1], expect=lambda X: X.transpose(2, 0, 1))
    case(op, X=rand(2, 3, 4, 5), axis=[0, 2, 1, 3], expect=lambda X: X.transpose(0, 2, 1, 3))
    case(op, X=ragged([[2, 1]], 4), axis=[0, 1], expect=lambda X: X, expect_lod=[])
    refuse(op, X=rand(2, 3, 4), axis=[1, 0], says="axis must order the 3 axes of X, each once, got [1, 0]")
    refuse(op, X=rand(2, 3, 4), axis=[1, 1, 0], says="axis must order the 3 axes of X, each once, got [1, 1, 0]")
    refuse(op, X=rand(2, 3), axis=[0, 2], says="axis must order the 2 axes of X, each once, got [0, 2]")
