"""Rows of silu."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse

case("silu", X=rand(3, 4, low=-3, high=3), expect=lambda X: X / (1 + np.exp(-X)))
case("silu", X=ragged([[2, 1]], (4,)), expect=lambda X: X / (1 + np.exp(-X)), expect_lod="X")
refuse("silu", X=ints(3), says="silu: X must be floating point, got int64")
