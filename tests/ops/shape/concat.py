"""Rows of concat and split."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse

case("concat", X=[rand(2, 3), rand(2, 1)], axis=1, expect=lambda X: np.concatenate(X, 1))
case("concat", X=[rand(2, 3), rand(1, 3)], expect=lambda X: np.concatenate(X, 0))
case("concat", X=[rand(2, 3, 4), rand(2, 3, 4), rand(2, 3, 1)], axis=-1, expect=lambda X: np.concatenate(X, -1))
case("concat", X=[ints(2, 3), ints(2, 2)], axis=1, expect=lambda X: np.concatenate(X, 1))
case("concat", X=[rand(2, 3), rand(2, 2)], AxisTensor=np.array([1], "int32"), expect=lambda X: np.concatenate(X, 1))
case("concat", X=[ragged([[2, 1]], 4), rand(3, 2)], axis=1, expect=lambda X: np.concatenate(X, 1), expect_lod=[[2, 1]])
case(
    "concat",
    X=[ragged([[2, 1]], 4), ragged([[1, 1]], 4)],
    expect=lambda X: np.concatenate(X, 0),
    expect_lod=[[2, 1, 1, 1]],
)
refuse(
    "concat", X=[rand(2, 3), rand(2, 3)], axis=2, says="concat: axis must be in [-2, 1] for a tensor of rank 2, got 2"
)
refuse("concat", X=[rand(2, 3), rand(1, 3)], axis=1, says="X[1] of shape [1, 3] does not match X[0] of shape [2, 3]")

case("split", X=rand(2, 3, 4), num=2, axis=-1, expect=lambda X: [X[..., :2], X[..., 2:]])
case("split", X=rand(2, 3), sections=[1, -1], axis=1, expect=lambda X: [X[:, :1], X[:, 1:]])
case("split", X=rand(4, 3), num=2, expect=lambda X: [X[:2], X[2:]])
case("split", X=rand(2, 3), num=3, AxisTensor=np.array([1], "int32"), expect=lambda X: [X[:, :1], X[:, 1:2], X[:, 2:]])
case(
    "split",
    X=rand(2, 3),
    SectionsTensorList=[np.array([2], "int32"), np.array([1], "int32")],
    sections=[-1, -1],
    axis=1,
    expect=lambda X: [X[:, :2], X[:, 2:]],
)
case("split", X=ragged([[2, 1]], 4), num=2, axis=1, expect=lambda X: [X[:, :2], X[:, 2:]], expect_lod="X")
case("split", X=ragged([[2, 1]], 4), sections=[1, 2], expect=lambda X: [X[:1], X[1:]], expect_lod=[])
refuse("split", X=rand(2, 3), num=2, axis=1, says="split: an axis of size 3 cannot be split into num=2 equal parts")
refuse("split", X=rand(2, 3), sections=[1, 1], axis=1, says="sections [1, 1] do not add up to the size 3 of the axis")
refuse("split", X=rand(2, 3), num=1, axis=2, says="axis must be in [-2, 1] for a tensor of rank 2, got 2")
refuse("split", X=rand(2, 3), says="num or sections must be given")
