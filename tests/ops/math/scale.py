"""Rows of scale, increment and pow."""

import numpy as np
from tests.ops.cases import bools, case, ints, ragged, rand, refuse, sparse

case("scale", X=rand(3, 4), scale=2.5, expect=lambda X: 2.5 * X)
case("scale", X=rand(3, 4), bias=1.5, expect=lambda X: X + 1.5)
case("scale", X=rand(3, 4), scale=2.0, bias=1.5, expect=lambda X: 2 * X + 1.5)
case("scale", X=rand(3, 4), scale=2.0, bias=1.5, bias_after_scale=False, expect=lambda X: 2 * (X + 1.5))
case("scale", X=rand(3, 4), ScaleTensor=rand(1), scale=9.0, bias=1.0, expect=lambda X, ScaleTensor: ScaleTensor * X + 1)
case("scale", X=ints(5), scale=2.9, bias=1.9, expect=lambda X: 2 * X + 1)  # Fluid: constants are rounded towards zero
case("scale", X=ragged([[2, 1]], 2), scale=2.0, expect_lod="X")
case(
    "scale",
    X=sparse([1, 3, 1], 2, 5),
    scale=2.0,
    grad=False,
    expect=lambda X: 2 * X.dense,
    why="a SelectedRows is itself a gradient",
)
refuse("scale", X=bools(3), says="scale: X must be a number, got bool")

case("increment", X=rand(1), step=2.5, batch="", expect=lambda X: X + 2.5)
case("increment", X=np.array([3]), batch="", expect=np.array([4]))
case("increment", X=np.array([3]), batch="", step=1.9, expect=np.array([4]))
refuse("increment", X=rand(2), says="increment: X must have one element, got shape [2]")

case("pow", X=rand(3, 4, low=0.2), factor=2.5, expect=lambda X: X**2.5)
case("pow", X=rand(3, 4, away_from=0), factor=3.0, expect=lambda X: X**3)
case("pow", X=rand(3, 4, low=0.2), FactorTensor=np.array([2.0]), factor=9.0, expect=lambda X: X**2)
case("pow", X=ints(4), factor=2.0, expect=lambda X: X**2)
