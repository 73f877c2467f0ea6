"""Rows of slice and strided_slice."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse


def at(*numbers):
    return np.array(numbers, "int32")


case("slice", Input=rand(2, 3, 4), axes=[0, 2], starts=[0, 1], ends=[1, -1], expect=lambda Input: Input[:1, :, 1:-1])
case("slice", Input=rand(4, 3), axes=[0], starts=[-1], ends=[10000], expect=lambda Input: Input[-1:])
case("slice", Input=rand(4, 3), axes=[0], starts=[-9], ends=[2], expect=lambda Input: Input[:2])
case("slice", Input=ints(4, 3), axes=[1], starts=[1], ends=[2], decrease_axis=[1], expect=lambda Input: Input[:, 1])
case("slice", Input=rand(4), axes=[0], starts=[1], ends=[2], decrease_axis=[0], expect=lambda Input: Input[1:2])
case(
    "slice",
    Input=rand(2, 3, 4),
    axes=[1, 2],
    starts=[1, 3],
    ends=[2, 4],
    decrease_axis=[1, 2],
    expect=lambda Input: Input[:, 1, 3],
)
case(
    "slice",
    Input=rand(2, 3, 4),
    StartsTensor=at(1),
    EndsTensor=at(3),
    axes=[1],
    infer_flags=[-1],
    batch="Input",
    expect=lambda Input: Input[:, 1:3],
)
case(
    "slice",
    Input=rand(2, 3, 4),
    StartsTensorList=[at(0), at(1)],
    EndsTensorList=[at(1), at(3)],
    axes=[0, 1],
    starts=[0, -1],
    ends=[1, -1],
    infer_flags=[1, -1],
    batch="Input",
    expect=lambda Input: Input[:1, 1:3],
)
case(
    "slice",
    Input=ragged([[2, 1]], 4),
    axes=[1],
    starts=[0],
    ends=[1],
    expect=lambda Input: Input[:, :1],
    expect_lod="Input",
)
case("slice", Input=ragged([[2, 1]], 4), axes=[0], starts=[0], ends=[2], expect=lambda Input: Input[:2], expect_lod=[])
refuse(
    "slice",
    Input=rand(2, 3),
    axes=[1],
    starts=[2],
    ends=[1],
    says="slice: starts=2 and ends=1 select nothing of axis 1, which has size 3",
)
refuse(
    "slice",
    Input=rand(2, 3),
    axes=[2],
    starts=[0],
    ends=[1],
    says="axes must be in [-2, 1] for a tensor of rank 2, got 2",
)
refuse(
    "slice",
    Input=rand(2, 3),
    axes=[1],
    starts=[0],
    ends=[2],
    decrease_axis=[1],
    says="only axes of size 1 can be dropped",
)
refuse(
    "slice",
    Input=rand(2, 3),
    axes=[0, 1],
    starts=[0],
    ends=[1, 1],
    says="axes, starts and ends must have the same length",
)

case(
    "strided_slice",
    Input=rand(2, 3, 4),
    axes=[0, 2],
    starts=[0, 3],
    ends=[1, 0],
    strides=[1, -2],
    expect=lambda Input: Input[:1, :, 3:0:-2],
)
case(
    "strided_slice",
    Input=rand(2, 4),
    axes=[1],
    starts=[-1],
    ends=[-100],
    strides=[-1],
    expect=lambda Input: Input[:, ::-1],
)
case("strided_slice", Input=rand(7, 4), axes=[0], starts=[0], ends=[100], strides=[3], expect=lambda Input: Input[::3])
case(
    "strided_slice",
    Input=rand(2, 4),
    axes=[1],
    starts=[1],
    ends=[2],
    strides=[1],
    decrease_axis=[1],
    expect=lambda Input: Input[:, 1],
)
case(
    "strided_slice",
    Input=rand(2, 4),
    StartsTensor=at(3),
    EndsTensor=at(0),
    StridesTensor=at(-1),
    axes=[1],
    infer_flags=[-1],
    batch="Input",
    expect=lambda Input: Input[:, 3:0:-1],
)
case(
    "strided_slice",
    Input=rand(2, 4),
    StartsTensorList=[at(0)],
    EndsTensorList=[at(4)],
    StridesTensorList=[at(2)],
    axes=[1],
    starts=[-1],
    ends=[-1],
    strides=[-1],
    infer_flags=[-1],
    batch="Input",
    expect=lambda Input: Input[:, ::2],
)
case(
    "strided_slice",
    Input=ragged([[2, 1]], 4),
    axes=[1],
    starts=[0],
    ends=[3],
    strides=[2],
    expect=lambda Input: Input[:, :3:2],
    expect_lod="Input",
)
refuse(
    "strided_slice",
    Input=rand(2, 4),
    axes=[1],
    starts=[0],
    ends=[2],
    strides=[0],
    says="strides must not be 0, got [0]",
)
refuse(
    "strided_slice",
    Input=rand(2, 4),
    axes=[1],
    starts=[2],
    ends=[2],
    strides=[1],
    says="strided_slice: starts=2, ends=2, strides=1 select nothing of axis 1 of size 4",
)
