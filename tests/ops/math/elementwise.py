"""Rows of elementwise_*."""

import numpy as np
from tests.ops.cases import bools, case, ints, ragged, rand, refuse, sparse, spread


def laid(Y, rank, axis):
    """Y with trailing ones, so that it starts at `axis` of a tensor of `rank` axes."""
    return Y if axis == -1 or Y.ndim == rank else Y.reshape(Y.shape + (1,) * (rank - axis - Y.ndim))


def broadcast(function):
    def expect(X, Y, axis):
        rank = max(X.ndim, Y.ndim)
        return function(laid(X, rank, axis), laid(Y, rank, axis))

    return expect


SHAPES = [
    ((2, 3), (2, 3), -1),
    ((2, 3), (3,), -1),
    ((2, 3), (3,), 1),  # the bias of a fully connected layer
    ((2, 3, 4, 5), (3,), 1),  # the bias of a convolution
    ((2, 3, 4), (2,), 0),
    ((2, 3, 4, 5), (3, 4), 1),
    ((2, 3, 4), (3, 1), 1),
    ((2, 3, 4), (1,), -1),
    ((2, 1, 3), (1, 4, 3), -1),
    ((3,), (2, 3), -1),
    ((3, 4), (3, 4, 5), 0),
    ((1,), (2, 3), -1),
]
ARITHMETIC = {
    "elementwise_add": np.add,
    "elementwise_sub": np.subtract,
    "elementwise_mul": np.multiply,
    "elementwise_div": np.divide,
    "elementwise_pow": np.power,
}

for name, function in ARITHMETIC.items():
    for x, y, axis in SHAPES:
        positive = {"low": 0.3, "high": 2.0}
        case(name, X=rand(*x, **positive), Y=rand(*y, **positive), axis=axis, expect=broadcast(function), batch="X")
    case(
        name,
        X=ints(2, 3, low=1, high=4),
        Y=ints(2, 3, low=1, high=4),
        expect=lambda X, Y, f=function: f(X, Y).astype("int64"),
    )
    case(name, X=rand(2, 3, low=0.5, dtype="float32"), Y=rand(3, low=0.5, dtype="float32"))
    case(name, X=ragged([[2, 1]], 2, low=0.3), Y=rand(2, low=0.3), expect_lod="X")
    case(name, X=rand(3, 2, low=0.3), Y=ragged([[2, 1]], 2, low=0.3), expect_lod=[])
    refuse(name, X=rand(2, 3), Y=rand(4), says=f"{name}: X of shape [2, 3] and Y of shape [4] do not broadcast")
    refuse(name, X=rand(2, 3), Y=ints(3), says=f"{name}: X and Y must have one dtype, got float64 and int64")
    refuse(name, X=rand(2, 3), Y=rand(3), axis=2, says="an input of shape [3] does not fit into 2 axes from axis 2 on")
    refuse(name, X=bools(2), Y=bools(2), says=f"{name}: X must be a number, got bool")

for name, function in (("elementwise_max", np.maximum), ("elementwise_min", np.minimum)):
    for x, y, axis in SHAPES:
        case(name, X=spread(*x), Y=spread(*y, step=0.29) + 0.01, axis=axis, expect=broadcast(function), batch="X")
    case(name, X=ints(2, 3), Y=ints(3), expect=lambda X, Y, f=function: f(X, Y))

# A sparse gradient that is scaled down by clipping.
case(
    "elementwise_mul",
    X=sparse([1, 3, 1], 2, 5),
    Y=rand(1),
    grad=False,
    expect=lambda X, Y: X.dense * Y,
    why="a SelectedRows is itself a gradient",
)

case("elementwise_div", X=np.array([7, -7, 7]), Y=np.array([2, 2, -2]), expect=np.array([3, -3, -3]))
refuse("elementwise_div", X=ints(2), Y=np.array([0, 1]), says="Y holds a zero, and integers cannot be divided by it")

# Fluid: the remainder of integers has the sign of X, that of floats the sign of Y.
case("elementwise_mod", X=np.array([7, -7, 7, -7]), Y=np.array([3, 3, -3, -3]), expect=np.array([1, -1, 1, -1]))
case("elementwise_mod", X=np.array([7.0, -7, 7, -7]), Y=np.array([3.0, 3, -3, -3]), expect=np.array([1.0, 2, -2, -1]))
case("elementwise_mod", X=ints(2, 3), Y=ints(2, low=1), axis=0, expect=broadcast(np.fmod), batch="X")
case("elementwise_floordiv", X=np.array([7, -7, 7]), Y=np.array([2, 2, -2]), expect=np.array([3, -3, -3]))
case("elementwise_floordiv", X=ints(2, 3), Y=ints(3, low=1), expect=lambda X, Y: X // Y)
refuse("elementwise_floordiv", X=ints(2), Y=np.array([0, 1]), says="Y holds a zero")
refuse("elementwise_floordiv", X=rand(2), Y=rand(2), says="elementwise_floordiv: X must be an integer, got float64")
