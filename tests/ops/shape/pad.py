"""Rows of pad, pad2d, pad_constant_like, crop and crop_tensor."""

import numpy as np
from tests.ops.cases import case, ragged, rand, refuse


def at(*numbers):
    return np.array(numbers, "int32")


case(
    "pad",
    X=rand(3, 4),
    paddings=[0, 1, 2, 0],
    pad_value=9.0,
    expect=lambda X: np.pad(X, ((0, 1), (2, 0)), constant_values=9),
)
case("pad", X=ragged([[2, 1]], 4), paddings=[0, 0, 2, 0], expect=lambda X: np.pad(X, ((0, 0), (2, 0))), expect_lod="X")
case("pad", X=ragged([[2, 1]], 4), paddings=[1, 0, 0, 0], expect=lambda X: np.pad(X, ((1, 0), (0, 0))), expect_lod=[])
refuse(
    "pad",
    X=rand(3, 4),
    paddings=[0, 0, 2],
    says="pad: paddings must have two numbers for each of the 2 axes of X, got [0, 0, 2]",
)
refuse("pad", X=rand(3), paddings=[0, -1], says="paddings must not be negative, got [0, -1]")


def padded(X, paddings, Paddings, mode, data_format, pad_value):
    top, bottom, left, right = paddings if Paddings is None else Paddings
    sides = ((0, 0), (0, 0), (top, bottom), (left, right))
    sides = sides if data_format == "NCHW" else (sides[0], *sides[2:], sides[1])
    return np.pad(X, sides, mode, **({"constant_values": pad_value} if mode == "constant" else {}))


for mode in ("constant", "reflect", "edge"):
    case("pad2d", X=rand(2, 3, 4, 5), paddings=[1, 0, 2, 3], mode=mode, expect=padded)
    case("pad2d", X=rand(2, 4, 5, 3), paddings=[1, 0, 2, 3], mode=mode, data_format="NHWC", expect=padded)
case("pad2d", X=rand(2, 3, 4, 5), paddings=[0, 1, 0, 0], pad_value=3.0, expect=padded)
case("pad2d", X=rand(2, 3, 4, 5), Paddings=at(1, 0, 0, 2), paddings=[], expect=padded, batch="X")
refuse(
    "pad2d",
    X=rand(2, 3, 4, 5),
    paddings=[4, 0, 2, 3],
    mode="reflect",
    says="pad2d: a picture of 4 x 5 has nothing to mirror into paddings [4, 0, 2, 3]",
)
refuse(
    "pad2d",
    X=rand(2, 3, 4, 5),
    paddings=[4, 0, 2, 3],
    mode="wrap",
    says="mode must be constant, reflect or edge, got 'wrap'",
)
refuse("pad2d", X=rand(3, 4, 5), paddings=[4, 0, 2, 3], says="X must have 4 axes, got shape [3, 4, 5]")

case(
    "pad_constant_like",
    X=rand(4, 5),
    Y=rand(3, 4),
    pad_value=3.0,
    expect=lambda Y: np.pad(Y, ((0, 1), (0, 1)), constant_values=3),
)
refuse(
    "pad_constant_like",
    X=rand(4, 5),
    Y=rand(5, 4),
    says="pad_constant_like: Y of shape [5, 4] does not fit into X of shape [4, 5]",
)

case("crop", X=rand(3, 4), offsets=[1, 1], shape=[2, 2], expect=lambda X: X[1:3, 1:3])
case("crop", X=rand(3, 4), Y=rand(2, 2), offsets=[1, 1], expect=lambda X: X[1:3, 1:3], batch="X")
case("crop", X=rand(3, 4), Offsets=at(0, 1), shape=[-1, 2], expect=lambda X: X[:, 1:3], batch="X")
refuse(
    "crop",
    X=rand(3, 4),
    offsets=[1, 1],
    shape=[3, 3],
    says="crop: offset 1 and size 3 leave axis 0 of X, which has size 3",
)
refuse("crop", X=rand(3, 4), shape=[3, 3], says="offsets must have a number for each of the 2 axes of X, got []")

case("crop_tensor", X=rand(3, 4), offsets=[1, 1], shape=[-1, 2], expect=lambda X: X[1:, 1:3])
case("crop_tensor", X=rand(3, 4), offsets=[1, 1], Shape=at(2, 2), expect=lambda X: X[1:3, 1:3], batch="X")
case(
    "crop_tensor",
    X=rand(3, 4),
    ShapeTensor=[at(2), at(2)],
    OffsetsTensor=[at(1), at(0)],
    shape=[-1, 2],
    offsets=[-1, 0],
    expect=lambda X: X[1:3, :2],
    batch="X",
)
case("crop_tensor", X=rand(3, 4), Offsets=at(1, 1), shape=[2, 2], expect=lambda X: X[1:3, 1:3], batch="X")
refuse(
    "crop_tensor",
    X=rand(3, 4),
    offsets=[1, 1],
    shape=[3, 3],
    says="crop_tensor: offset 1 and size 3 leave axis 0 of X, which has size 3",
)
refuse(
    "crop_tensor",
    X=rand(3, 4),
    offsets=[1, 1],
    shape=[3],
    says="shape must have a size for each of the 2 axes of X, got [3]",
)
