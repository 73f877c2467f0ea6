"""Rows of bmm, dot, cross, kron, addmm, minus, trace, bilinear_tensor_product."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse

case("bmm", X=rand(2, 3, 4), Y=rand(2, 4, 5), expect=lambda X, Y: X @ Y)
refuse("bmm", X=rand(2, 3, 4), Y=rand(1, 4, 5), says="bmm: X and Y must be [B, M, K] and [B, K, N], got [2, 3, 4] and")

case("dot", X=rand(3), Y=rand(3), expect=lambda X, Y: X @ Y)
case("dot", X=rand(2, 3), Y=rand(2, 3), expect=lambda X, Y: (X * Y).sum(1, keepdims=True))
case("dot", X=ints(2, 3, dtype="int32"), Y=ints(2, 3, dtype="int32"), expect=lambda X, Y: (X * Y).sum(1, keepdims=True))
refuse("dot", X=rand(2, 2, 3), Y=rand(2, 2, 3), says="dot: X and Y must have one shape of rank 1 or 2")

case("cross", X=rand(2, 3), Y=rand(2, 3), expect=lambda X, Y: np.cross(X, Y))
case("cross", X=rand(3, 3), Y=rand(3, 3), expect=lambda X, Y: np.cross(X, Y, axis=0))
case("cross", X=rand(3, 3), Y=rand(3, 3), dim=1, expect=lambda X, Y: np.cross(X, Y, axis=1))
refuse("cross", X=rand(2, 4), Y=rand(2, 4), says="cross: X must have an axis of size 3, got shape [2, 4]")
refuse("cross", X=rand(2, 3), Y=rand(2, 3), dim=0, says="cross: axis 0 of X must have size 3, got shape [2, 3]")
refuse("cross", X=rand(2, 3), Y=rand(2, 3), dim=2, says="cross: dim must be in [-2, 1] for X of rank 2, got 2")
refuse("cross", X=rand(2, 3), Y=rand(3, 3), says="cross: X and Y must have one shape, got [2, 3] and [3, 3]")

case("kron", X=rand(2, 2), Y=rand(2, 3), expect=lambda X, Y: np.kron(X, Y))
case("kron", X=rand(2), Y=rand(2, 3), expect=lambda X, Y: np.kron(X, Y))
case("kron", X=rand(2, 2, 1), Y=rand(2, 3), expect=lambda X, Y: np.kron(X, Y[None]), batch="")

case("addmm", Input=rand(2, 4), X=rand(2, 3), Y=rand(3, 4), batch="Input X", expect=lambda Input, X, Y: Input + X @ Y)
case(
    "addmm",
    Input=rand(1, 4),
    X=rand(2, 3),
    Y=rand(3, 4),
    Alpha=2.0,
    Beta=0.5,
    expect=lambda Input, X, Y: 0.5 * Input + 2 * X @ Y,
)
case("addmm", Input=rand(2, 4), X=rand(2, 3), Y=rand(3, 4), batch="Y", expect=lambda Input, X, Y: Input + X @ Y)
refuse("addmm", Input=rand(4), X=rand(2, 3), Y=rand(3, 4), says="addmm: Input must broadcast to [2, 4], got [4]")
refuse("addmm", Input=rand(2, 4), X=rand(2, 3), Y=rand(2, 4), says="addmm: X and Y must be [M, K] and [K, N]")

case("minus", X=rand(2, 3), Y=rand(2, 3), expect=lambda X, Y: X - Y)
refuse("minus", X=rand(2, 3), Y=rand(3), says="minus: X and Y must have one shape, got [2, 3] and [3]")

case("trace", Input=rand(3, 3), expect=lambda Input: np.trace(Input), batch="")
case("trace", Input=rand(2, 3, 4), offset=1, dim1=1, dim2=2, expect=lambda Input: np.trace(Input, 1, 1, 2))
case("trace", Input=rand(2, 3, 4), offset=-1, dim1=0, dim2=2, expect=lambda Input: np.trace(Input, -1, 0, 2))
refuse("trace", Input=rand(3), says="trace: Input must have rank 2 or more, got shape [3]")
refuse("trace", Input=rand(3, 3), dim1=0, dim2=-2, says="dim1 and dim2 must be two axes in [-2, 1], got 0 and -2")


def bilinear(X, Y, Weight):
    return np.einsum("nm,kmp,np->nk", X, Weight, Y)


case("bilinear_tensor_product", X=rand(2, 3), Y=rand(2, 2), Weight=rand(4, 3, 2), batch="X Y", expect=bilinear)
case(
    "bilinear_tensor_product",
    X=rand(2, 3),
    Y=rand(2, 2),
    Weight=rand(4, 3, 2),
    Bias=rand(1, 4),
    expect=lambda X, Y, Weight, Bias: bilinear(X, Y, Weight) + Bias,
)
case("bilinear_tensor_product", X=ragged([[2, 1]], 3), Y=rand(3, 2), Weight=rand(4, 3, 2), expect_lod="X")
refuse("bilinear_tensor_product", X=rand(2, 3), Y=rand(2, 2), Weight=rand(4, 2, 2), says="Weight must be [K, 3, 2]")
refuse(
    "bilinear_tensor_product",
    X=rand(2, 3),
    Y=rand(3, 2),
    Weight=rand(4, 3, 2),
    says="X and Y must be [N, M] and [N, P]",
)
