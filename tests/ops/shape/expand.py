"""Rows of expand and expand_as."""

import numpy as np
from tests.ops.cases import case, ragged, rand, refuse

case("expand", X=rand(3, 4), expand_times=[2, 3], expect=lambda X: np.tile(X, (2, 3)))
case("expand", X=rand(3, 1, 4), expand_times=[1, 5, 1], expect=lambda X: np.tile(X, (1, 5, 1)))
case("expand", X=rand(3, 4), expand_times=[1, 1], expect=lambda X: X)
case("expand", X=rand(3, 4), ExpandTimes=np.array([2, 1], "int32"), expect=lambda X: np.tile(X, (2, 1)), batch="X")
case(
    "expand",
    X=rand(3, 4),
    expand_times_tensor=[np.array([2], "int32"), np.array([1], "int32")],
    expand_times=[-1, 1],
    expect=lambda X: np.tile(X, (2, 1)),
    batch="X",
)
case("expand", X=ragged([[2, 1]], 4), expand_times=[1, 2], expect=lambda X: np.tile(X, (1, 2)), expect_lod="X")
case("expand", X=ragged([[2, 1]], 4), expand_times=[2, 1], expect=lambda X: np.tile(X, (2, 1)), expect_lod=[])
refuse(
    "expand",
    X=rand(3, 4),
    expand_times=[2],
    says="expand: expand_times must have one number for each of the 2 axes of X, got [2]",
)
refuse("expand", X=rand(3, 4), expand_times=[2, 0], says="expand_times must be at least 1, got [2, 0]")

case("expand_as", X=rand(3, 4), target_tensor=rand(6, 4), expect=lambda X: np.tile(X, (2, 1)), batch="target_tensor")
case("expand_as", X=rand(1, 4), target_tensor=rand(6, 8), expect=lambda X: np.tile(X, (6, 2)), batch="target_tensor")
refuse(
    "expand_as",
    X=rand(3, 4),
    target_tensor=rand(5, 4),
    says="expand_as: X of shape [3, 4] cannot be repeated to the shape [5, 4]",
)
refuse("expand_as", X=rand(3, 4), target_tensor=rand(3, 4, 1), says="X has rank 2, but target_tensor has rank 3")
