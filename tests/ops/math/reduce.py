"""Rows of reduce_*, logsumexp, frobenius_norm and mean."""

import numpy as np
from tests.ops.cases import bools, case, ints, ragged, rand, refuse, spread

FOLDS = {
    "reduce_sum": np.sum,
    "reduce_mean": np.mean,
    "reduce_max": np.max,
    "reduce_min": np.min,
    "reduce_prod": np.prod,
    "reduce_all": np.all,
    "reduce_any": np.any,
    "logsumexp": lambda x, axis, keepdims: np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims)),
    "frobenius_norm": lambda x, axis, keepdims: np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims)),
}
AXES = [
    {"dim": [0]},
    {"dim": [1]},
    {"dim": [-1], "keep_dim": True},
    {"dim": [1, 2]},
    {"dim": [0, 2], "keep_dim": True},
    {"dim": [0, 1, 2]},
    {"reduce_all": True},
    {"reduce_all": True, "keep_dim": True},
]


def folded(fold):
    def expect(X, dim, keep_dim, reduce_all):
        return fold(X, axis=None if reduce_all else tuple(dim), keepdims=keep_dim)

    return expect


for name, fold in FOLDS.items():
    make = bools if name in ("reduce_all", "reduce_any") else spread
    for axes in AXES:
        case(name, X=make(2, 3, 4), **axes, expect=folded(fold))
    case(name, X=make(4), expect=lambda X, f=fold: f(X, axis=0, keepdims=True))  # [1], not 0-d
    refuse(name, X=make(2, 3), dim=[2], says=f"{name}: dim must be axes in [-2, 1] for X of rank 2, got [2]")
    refuse(name, X=make(2, 3), dim=[], says=f"{name}: dim must be axes in [-2, 1] for X of rank 2, got []")

for name in ("reduce_sum", "reduce_max", "reduce_min", "reduce_prod"):
    case(name, X=ints(3, 4, low=1, dtype="int32"), dim=[1], expect=lambda X, f=FOLDS[name]: f(X, axis=1))
case("reduce_mean", X=np.array([1, 2, 4]), expect=np.array([2]))  # Fluid divides integers as integers
case("reduce_sum", X=ints(3, dtype="int32"), in_dtype=2, out_dtype=5, expect=lambda X: X.sum().astype("float32"))
case("reduce_sum", X=ragged([[2, 1]], 4), dim=[1], expect_lod="X")
case("reduce_sum", X=ragged([[2, 1]], 4), dim=[0], expect_lod=[])
case("reduce_mean", X=ragged([[2, 1]], 4), reduce_all=True, expect_lod=[])
refuse("reduce_all", X=ints(3), says="reduce_all: X must be bool, got int64")
case("frobenius_norm", X=np.zeros((2, 3)), dim=[1], expect=np.zeros(2), grad=False, why="the norm has a kink at zero")

case("mean", X=rand(3, 4), expect=lambda X: X.mean())
case("mean", X=ragged([[2, 1]], 4), expect=lambda X: X.mean(), expect_lod=[])
refuse("mean", X=ints(3), says="mean: X must be floating point, got int64")
