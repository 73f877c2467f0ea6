"""Rows of cast, assign and assign_value."""

import numpy as np
from tests.ops.cases import case, ragged, rand, refuse

NONE = "what is no floating point has no gradient"

case(
    "cast",
    X=np.array([1.7, -1.7, 300.2], "float32"),
    in_dtype=5,
    out_dtype=2,
    expect=np.array([1, -1, 300], "int32"),
    grad=False,
    why=NONE,
)
case(
    "cast",
    X=np.array([1.7, 0, -0.1], "float32"),
    in_dtype=5,
    out_dtype=0,
    expect=np.array([True, False, True]),
    grad=False,
    why=NONE,
)
case("cast", X=ragged([[2, 1]], 4), in_dtype=6, out_dtype=6, expect=lambda X: X, expect_lod="X")
case("cast", X=np.array([1, 2]), in_dtype=3, out_dtype=4, expect=np.array([1, 2], "float16"))
refuse("cast", X=rand(2), in_dtype=6, out_dtype=7, says="cast: dtype must be one of bool")

case("assign", X=ragged([[2, 1]], 4), expect=lambda X: X, expect_lod="X")
case("assign", X=np.array([True, False]), expect=lambda X: X)
case(
    "assign_value",
    shape=[2, 2],
    dtype=5,
    fp32_values=[1.0, 2.0, 3.0, 4.5],
    expect=np.array([[1, 2], [3, 4.5]], "float32"),
)
case("assign_value", shape=[2], dtype=0, bool_values=[3, 0], expect=np.array([True, False]))
case("assign_value", shape=[1, 2], dtype=2, int32_values=[3, 0], expect=np.array([[3, 0]], "int32"))
case("assign_value", shape=[2], dtype=3, int64_values=[2**40, 0], expect=np.array([2**40, 0]))
refuse("assign_value", shape=[3], dtype=3, int64_values=[1], says="assign_value: shape [3] takes 3 values, got 1")
refuse("assign_value", shape=[1], dtype=6, says="dtype must be bool, float32, int32 or int64, got float64")
