"""Rows of the comparisons, equal_reduce, allclose and is_empty."""

import numpy as np
from tests.ops.cases import bools, case, fixture, ints, ragged, rand, refuse

COMPARISONS = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less_than": np.less,
    "less_equal": np.less_equal,
    "greater_than": np.greater,
    "greater_equal": np.greater_equal,
}
for name, function in COMPARISONS.items():
    case(name, X=ints(3, 4, high=3), Y=ints(3, 4, high=3), expect=lambda X, Y, f=function: f(X, Y))
    case(name, X=rand(3, 4), Y=rand(4), force_cpu=True, expect=lambda X, Y, f=function: f(X, Y))
    case(name, X=ints(2, 3, 4, high=3), Y=ints(3, high=3), axis=1, expect=lambda X, Y, f=function: f(X, Y[:, None]))
    case(name, X=ragged([[2, 1]], 2), Y=rand(3, 2), expect_lod="X")
    refuse(name, X=rand(2, 3), Y=rand(4), says=f"{name}: X of shape [2, 3] and Y of shape [4] do not broadcast")
    refuse(name, X=rand(2), Y=ints(2), says=f"{name}: X and Y must have one dtype, got float64 and int64")
case("equal", X=bools(5), Y=bools(5), expect=lambda X, Y: X == Y)

case("equal_reduce", X=np.array([[1.0, 2.0]]), Y=np.array([[1.0, 2.0]]), expect=np.array([True]))
case("equal_reduce", X=np.array([[1.0, 2.0]]), Y=np.array([[1.0, 3.0]]), axis=-1, expect=np.array([False]))
refuse("equal_reduce", X=rand(3), Y=ints(3), says="equal_reduce: X and Y must have one dtype, got float")
case("equal_reduce", X=rand(2, 3), Y=rand(4), expect=np.array([False]))
fixture("equal_reduce")

case("allclose", Input=np.array([1.0, 2.0]), Other=np.array([1.0, 2.00001]), expect=np.array([True]))
case("allclose", Input=np.array([1.0, 2.0]), Other=np.array([1.0, 2.1]), expect=np.array([False]))
case("allclose", Input=np.array([1.0, 2.0]), Other=np.array([1.0, 2.1]), atol=0.2, expect=np.array([True]))
case("allclose", Input=np.array([np.nan]), Other=np.array([np.nan]), equal_nan=True, expect=np.array([True]))
case("allclose", Input=np.array([np.nan]), Other=np.array([np.nan]), expect=np.array([False]))

case("is_empty", X=rand(2, 3), expect=np.array([False]))
case("is_empty", X=rand(0, 3), batch="", expect=np.array([True]))
