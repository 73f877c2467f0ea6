"""Rows of one_hot and one_hot_v2."""

import numpy as np
from tests.ops.cases import case, ragged, rand, refuse

ONES = np.eye(3, dtype="float32")

case("one_hot", X=np.array([[1], [0]]), depth=3, expect=ONES[[1, 0]])
case("one_hot", X=ragged([[1, 1]], data=np.array([[2], [0]])), depth=3, expect=ONES[[2, 0]], expect_lod="X")
case(
    "one_hot",
    X=np.array([[1], [3], [-1]]),
    depth=3,
    allow_out_of_range=True,
    expect=np.array([[0, 1, 0], [0] * 3, [0] * 3], "float32"),
)
case("one_hot", X=np.array([[1], [0]], "int32"), depth_tensor=np.array([3], "int32"), expect=ONES[[1, 0]], batch="X")
case("one_hot_v2", X=np.array([1, 2]), depth=3, dtype=3, expect=ONES[[1, 2]].astype("int64"))
case("one_hot_v2", X=np.array([[1], [2]]), depth=3, expect=ONES[[1, 2]][:, None])
case("one_hot_v2", X=np.array([[1, 2]]), depth_tensor=np.array([3], "int32"), expect=ONES[[1, 2]][None], batch="X")
refuse("one_hot", X=np.array([[1], [3]]), depth=3, says="one_hot: X must be in [0, 2], got 3")
refuse("one_hot", X=np.array([[1], [-1]]), depth=3, says="one_hot: X must be in [0, 2], got -1")
refuse("one_hot", X=np.array([1, 2]), depth=3, says="X must have at least 2 axes, the last of size 1, got [2]")
refuse("one_hot_v2", X=np.array([1, 5]), depth=3, says="one_hot_v2: X must be in [0, 2], got 5")
refuse("one_hot_v2", X=rand(2), depth=3, says="one_hot_v2: X must be int32 or int64, got float64")
