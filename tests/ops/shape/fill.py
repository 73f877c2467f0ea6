"""Rows of the operators that make constants: fill_*, range, linspace, diag*, eye, shape and size."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse

F32 = "float32"


def one(value, dtype="float32"):
    return np.array([value], dtype)


case("fill_constant", shape=[2, 3], value=1.5, expect=np.full((2, 3), 1.5, F32))
case("fill_constant", shape=[2], value=1.5, dtype=3, expect=np.array([1, 1]))
case("fill_constant", shape=[2], value=1.0, dtype=0, expect=np.array([True, True]))
case("fill_constant", shape=[1], value=0.0, str_value="12345678901", dtype=3, expect=np.array([12345678901]))
case("fill_constant", shape=[1], value=0.0, str_value="0.1", dtype=6, expect=np.array([0.1]))
case("fill_constant", shape=[2], ValueTensor=one(7), expect=np.full(2, 7, F32), batch="")
case("fill_constant", ShapeTensor=np.array([2, 3], "int32"), value=2.0, expect=np.full((2, 3), 2, F32), batch="")
case(
    "fill_constant",
    ShapeTensorList=[one(2, "int32"), one(3, "int32")],
    shape=[-1, 3],
    value=2.0,
    expect=np.full((2, 3), 2, F32),
    batch="",
)
refuse("fill_constant", shape=[-1, 2], says="fill_constant: shape must not have negative sizes, got [-1, 2]")
refuse("fill_constant", shape=[1], str_value="abc", says="str_value must be a number, got 'abc'")

case("fill_constant_batch_size_like", Input=rand(3, 4), shape=[-1, 7], value=1.5, expect=np.full((3, 7), 1.5, F32))
case(
    "fill_constant_batch_size_like",
    Input=rand(3, 4),
    shape=[5, 2],
    input_dim_idx=1,
    output_dim_idx=1,
    dtype=3,
    expect=np.zeros((5, 4), "int64"),
)
refuse(
    "fill_constant_batch_size_like",
    Input=rand(3),
    shape=[-1],
    input_dim_idx=1,
    says="input_dim_idx must be an axis of Input",
)

case("fill", value=[1.0, 2.5], shape=[2, 1], expect=np.array([[1], [2.5]], F32))
case("fill", value=[1.0, 2.0], shape=[2], dtype=3, expect=np.array([1, 2]))
refuse("fill", value=[1.0], shape=[2], says="fill: shape [2] takes 2 numbers, got 1")
case("fill_any_like", X=ragged([[2, 1]], 4), value=2.0, expect=np.full((3, 4), 2.0), expect_lod="X")
case("fill_any_like", X=rand(3), value=2.7, dtype=3, expect=np.full(3, 2))
case("fill_zeros_like", X=ints(3), expect=np.zeros(3, "int64"))
case("fill_zeros_like2", X=ragged([[2, 1]], 4, dtype=F32), expect=np.zeros((3, 4), F32), expect_lod="X")

case("range", Start=one(0), End=one(1), Step=one(0.3), expect=np.array([0, 0.3, 0.6, 0.9], F32))
case("range", Start=one(5, "int64"), End=one(0, "int64"), Step=one(-2, "int64"), expect=np.array([5, 3, 1]))
refuse(
    "range",
    Start=one(5, "int64"),
    End=one(0, "int64"),
    Step=one(2, "int64"),
    says="range: Step must lead from Start to End, got Start=5, End=0, Step=2",
)
case("linspace", Start=one(0), Stop=one(1), Num=one(5, "int32"), expect=np.linspace(0, 1, 5, dtype=F32))
case("linspace", Start=one(3.0, "float64"), Stop=one(1.0, "float64"), Num=one(1, "int32"), expect=np.array([3.0]))
refuse("linspace", Start=one(0), Stop=one(1), Num=one(0, "int32"), says="linspace: Num must be at least 1, got 0")

case("diag", Diagonal=rand(3), expect=lambda Diagonal: np.diag(Diagonal))
refuse("diag", Diagonal=rand(3, 1), says="diag: Diagonal must have one axis, got shape [3, 1]")
case("diag_embed", Input=rand(2, 3), expect=lambda Input: np.stack([np.diag(row) for row in Input]))
case(
    "diag_embed",
    Input=rand(2, 3),
    offset=1,
    dim1=0,
    dim2=2,
    expect=lambda Input: np.stack([np.diag(row, 1) for row in Input], 1),
)
refuse("diag_embed", Input=rand(2, 3), dim1=1, dim2=-2, says="dim1 and dim2 must be different axes, got 1 and -2")
case("eye", num_rows=2, num_columns=3, expect=np.eye(2, 3, dtype=F32))
case("eye", num_rows=2, dtype=3, expect=np.eye(2, dtype="int64"))
refuse("eye", num_rows=-2, says="eye: num_rows and num_columns must not be negative, got -2 and -1")

case("shape", Input=rand(3, 4), expect=np.array([3, 4], "int32"))
case("size", Input=rand(3, 4), expect=np.array([12]), batch="")
