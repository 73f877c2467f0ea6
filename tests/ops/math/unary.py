"""Rows of unary math."""

import math

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse

UNARY = {
    "exp": (np.exp, rand(3, 4)),
    "log": (np.log, rand(3, 4, low=0.2, high=3)),
    "log1p": (np.log1p, rand(3, 4, low=-0.5, high=3)),
    "sqrt": (np.sqrt, rand(3, 4, low=0.2, high=3)),
    "rsqrt": (lambda x: 1 / np.sqrt(x), rand(3, 4, low=0.2, high=3)),
    "square": (np.square, rand(3, 4)),
    "abs": (np.abs, rand(3, 4, away_from=0)),
    "reciprocal": (np.reciprocal, rand(3, 4, low=0.3, high=3)),
    "ceil": (np.ceil, ints(3, 4) + rand(3, 4, low=0.2, high=0.8)),
    "floor": (np.floor, ints(3, 4) + rand(3, 4, low=0.2, high=0.8)),
    "round": (np.round, ints(3, 4) + rand(3, 4, low=-0.4, high=0.4)),
    "sign": (np.sign, rand(3, 4, away_from=0)),
    "sin": (np.sin, rand(3, 4, low=-3, high=3)),
    "cos": (np.cos, rand(3, 4, low=-3, high=3)),
    "tan": (np.tan, rand(3, 4)),
    "sinh": (np.sinh, rand(3, 4)),
    "cosh": (np.cosh, rand(3, 4)),
    "asin": (np.arcsin, rand(3, 4, low=-0.9, high=0.9)),
    "acos": (np.arccos, rand(3, 4, low=-0.9, high=0.9)),
    "atan": (np.arctan, rand(3, 4, low=-2, high=2)),
    "erf": (np.vectorize(math.erf), rand(3, 4, low=-2, high=2)),
}
for name, (function, x) in UNARY.items():
    case(name, X=x, expect=lambda X, f=function: f(X))
    case(name, X=x.astype("float32"), expect=lambda X, f=function: f(X).astype("float32"))
    case(name, X=ragged([[2, 1]], data=x), expect_lod="X")
    if name not in ("square", "abs", "exp"):
        refuse(name, X=ints(3), says=f"{name}: X must be floating point, got int64")

case("square", X=ints(3, low=-3), expect=lambda X: X * X)
case("abs", X=ints(3, low=-3, high=0), expect=lambda X: -X)
case(
    "round",
    X=np.array([-0.5, 0.5, 1.5, 2.5, -2.5, 0.49999997], "float32"),
    expect=np.array([-1, 1, 2, 3, -3, 0], "float32"),
    grad=False,
    why="it jumps there",
)
