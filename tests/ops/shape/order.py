"""Rows of top_k, arg_max, arg_min, argsort, where and where_index."""

import numpy as np
from tests.ops.cases import bools, case, ints, ragged, rand, refuse, spread


def top(X, k, K):
    places = np.argsort(-X, -1, kind="stable")[..., : k if K is None else int(K[0])]
    return np.take_along_axis(X, places, -1), places


case("top_k", X=spread(3, 4), expect=top)
case("top_k", X=spread(2, 3, 5), k=3, expect=top)
case("top_k", X=ragged([[2, 1]], 4, distinct=True), k=2, expect=top, expect_lod={"Out": "X", "Indices": "X"})
case("top_k", X=spread(3, 4), K=np.array([2], "int32"), expect=top, batch="X")
case("top_k", X=ints(3, 4, high=1000), k=4, expect=lambda X: -np.sort(-X, -1))
refuse("top_k", X=rand(3, 4), k=5, says="top_k: k must be in [1, 4], the size of the last axis of X, got 5")

for op, answer in (("arg_max", np.argmax), ("arg_min", np.argmin)):
    case(op, X=spread(3, 4), axis=1, expect=lambda X, answer=answer: answer(X, 1))
    case(
        op,
        X=spread(3, 4),
        axis=-2,
        keepdims=True,
        dtype=2,
        expect=lambda X, answer=answer: answer(X, 0)[None].astype("int32"),
    )
    case(op, X=np.array([1, 3, 3, 1]), axis=0, expect=np.array([1 if op == "arg_max" else 0]))
    case(op, X=ragged([[2, 1]], 4, distinct=True), axis=1, expect=lambda X, answer=answer: answer(X, 1), expect_lod=[])
    refuse(op, X=rand(3, 4), axis=2, says="axis must be in [-2, 1] for a tensor of rank 2, got 2")

case("argsort", X=spread(3, 4), expect=lambda X: (np.sort(X, -1), np.argsort(X, -1)))
case("argsort", X=spread(3, 4), axis=0, descending=True, expect=lambda X: (-np.sort(-X, 0), np.argsort(-X, 0)))
case(
    "argsort",
    X=ragged([[2, 1]], 4, distinct=True),
    expect=lambda X: (np.sort(X, -1), np.argsort(X, -1)),
    expect_lod="X",
)
case("argsort", X=np.array([2, 1, 2, 1]), expect=(np.array([1, 1, 2, 2]), np.array([1, 3, 0, 2])))
refuse("argsort", X=rand(3), axis=1, says="axis must be in [-1, 0] for a tensor of rank 1, got 1")

case(
    "where", Condition=bools(3, 4), X=rand(3, 4), Y=rand(3, 4), expect=lambda Condition, X, Y: np.where(Condition, X, Y)
)
case("where", Condition=bools(3), X=ints(3), Y=ints(3), expect=lambda Condition, X, Y: np.where(Condition, X, Y))
refuse(
    "where",
    Condition=bools(3),
    X=rand(3, 1),
    Y=rand(3),
    says="where: Condition, X and Y must have the same shape, got [3], [3, 1] and [3]",
)
refuse("where", Condition=rand(3) > 0, X=rand(3), Y=ints(3), says="where: X and Y must have one dtype, got float")
refuse("where", Condition=ints(3), X=rand(3), Y=rand(3), says="where: Condition must be bool, got int64")
case("where_index", Condition=bools(3, 4), expect=lambda Condition: np.argwhere(Condition))
case("where_index", Condition=ints(5, high=2), expect=lambda Condition: np.argwhere(Condition))
