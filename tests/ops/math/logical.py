"""Rows of the logical operators."""

import numpy as np
from tests.ops.cases import bools, case, ints, ragged, refuse

LOGICAL = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}
for name, function in LOGICAL.items():
    case(name, X=bools(3, 4), Y=bools(3, 4), expect=lambda X, Y, f=function: f(X, Y))
    case(name, X=bools(3, 1), Y=bools(3), expect=lambda X, Y, f=function: f(X, Y.reshape(3, 1)))
    case(name, X=ragged([[2, 1]], data=np.array([[True], [False], [True]])), Y=bools(3, 1), expect_lod="X")
    refuse(name, X=bools(2, 3), Y=bools(3), says="X and Y must have as many elements, got shapes [2, 3] and [3]")
    refuse(name, X=ints(3), Y=bools(3), says=f"{name}: X must be bool, got int64")

case("logical_not", X=bools(3, 4), expect=lambda X: ~X)
refuse("logical_not", X=ints(3), says="logical_not: X must be bool, got int64")
