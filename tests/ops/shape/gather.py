"""Rows of gather, gather_nd, index_select, index_sample, scatter and scatter_nd_add."""

import numpy as np
from tests.ops.cases import case, ragged, rand, refuse


def at(*numbers):
    return np.array(numbers, "int64")


case("gather", X=rand(3, 4), Index=at(2, 0), expect=lambda X: X[[2, 0]], batch="X")
case("gather", X=rand(3, 4), Index=at(2, 0, 2), overwrite=False, expect=lambda X: X[[2, 0, 2]], batch="Index")
case("gather", X=rand(3), Index=np.array([[1], [0]], "int32"), expect=lambda X: X[[1, 0]], batch="Index")
case("gather", X=ragged([[2, 1]], 4), Index=at(2, 0), expect=lambda X: X[[2, 0]], expect_lod=[])
refuse("gather", X=rand(3, 4), Index=at(3, 0), says="gather: Index must be in [0, 2], got 3")
refuse("gather", X=rand(3, 4), Index=at(-1, 0), says="gather: Index must be in [0, 2], got -1")
refuse("gather", X=rand(3, 4), Index=np.zeros((2, 2), "int64"), says="Index must have shape [N] or [N, 1], got [2, 2]")
refuse("gather", X=rand(3, 4), Index=rand(2), says="gather: Index must be int32 or int64, got float64")

case("gather_nd", X=rand(2, 3, 4), Index=np.array([[1, 2], [0, 0], [1, 2]]), expect=lambda X: X[[1, 0, 1], [2, 0, 2]])
case("gather_nd", X=rand(2, 3), Index=np.array([[1, 2]], "int32"), expect=lambda X: X[1:, 2])
case("gather_nd", X=rand(2, 3), Index=np.array([[[1], [0]]]), expect=lambda X: X[[1, 0]][None])
case("gather_nd", X=rand(2, 3), Index=np.zeros((2, 0), "int64"), expect=lambda X: np.stack([X, X]), batch="")
refuse(
    "gather_nd", X=rand(2, 3), Index=np.array([[5, 0]]), says="gather_nd: Index along axis 0 must be in [0, 1], got 5"
)
refuse("gather_nd", X=rand(2, 3), Index=at(1), says="Index must have at least 2 axes, got [1]")
refuse("gather_nd", X=rand(2, 3), Index=np.array([[1, 0, 0]]), says="names 3 axes of X, but X has 2")

case("index_select", X=rand(2, 3, 4), Index=at(2, 0, 2), dim=1, expect=lambda X: X[:, [2, 0, 2]], batch="X")
case("index_select", X=rand(2, 3), Index=np.array([1], "int32"), dim=-1, expect=lambda X: X[:, [1]], batch="X")
refuse("index_select", X=rand(2, 3), Index=at(7), dim=1, says="index_select: Index must be in [0, 2], got 7")
refuse("index_select", X=rand(2, 3), Index=at(0), dim=2, says="dim must be in [-2, 1] for a tensor of rank 2, got 2")

case(
    "index_sample",
    X=rand(3, 4),
    Index=np.array([[0, 1], [2, 2], [3, 0]]),
    expect=lambda X, Index: np.take_along_axis(X, Index, 1),
)
refuse(
    "index_sample", X=rand(3, 4), Index=np.array([[0], [4], [1]]), says="index_sample: Index must be in [0, 3], got 4"
)
refuse("index_sample", X=rand(3, 4), Index=np.array([[0]]), says="must be matrices with the same number of rows")


def scattered(X, Ids, Updates, overwrite):
    out = X.copy()
    if not overwrite:
        out[Ids] = 0
    for i, row in zip(Ids, Updates):
        out[i] = row if overwrite else out[i] + row
    return out


case("scatter", X=rand(3, 4), Ids=at(2, 0), Updates=rand(2, 4), expect=scattered)
case("scatter", X=rand(3, 4), Ids=at(2, 2), Updates=rand(2, 4), overwrite=False, expect=scattered)
case("scatter", X=rand(3, 2, 2), Ids=np.array([1], "int32"), Updates=rand(1, 2, 2), expect=scattered)
case(
    "scatter",
    X=rand(3, 4),
    Ids=at(2, 2),
    Updates=rand(2, 4),
    expect=scattered,
    grad=False,
    why="Fluid's gradient of a row that was overwritten is not the slope",
)
refuse("scatter", X=rand(3, 4), Ids=at(3), Updates=rand(1, 4), says="scatter: Ids must be in [0, 2], got 3")
refuse("scatter", X=rand(3, 4), Ids=at(1), Updates=rand(1, 3), says="Updates must have shape [1, 4], got [1, 3]")
refuse("scatter", X=rand(3, 4), Ids=np.array([[1]]), Updates=rand(1, 4), says="Ids must have shape [N], got [1, 1]")


def added(X, Index, Updates):
    out = X.copy()
    np.add.at(out, tuple(np.moveaxis(Index, -1, 0)), Updates)
    return out


case(
    "scatter_nd_add",
    X=rand(2, 3, 4),
    Index=np.array([[1, 2], [1, 2], [0, 0]]),
    Updates=rand(3, 4),
    expect=added,
    batch="X",
)
case("scatter_nd_add", X=rand(2, 3), Index=np.array([[1], [0]], "int32"), Updates=rand(2, 3), expect=added)
case(
    "scatter_nd_add",
    X=rand(2, 3),
    Index=np.zeros((2, 0), "int64"),
    Updates=rand(2, 2, 3),
    expect=lambda X, Updates: X + Updates.sum(0),
    batch="",
)
refuse(
    "scatter_nd_add",
    X=rand(2, 3),
    Index=np.array([[2]]),
    Updates=rand(1, 3),
    says="Index along axis 0 must be in [0, 1], got 2",
)
refuse(
    "scatter_nd_add",
    X=rand(2, 3),
    Index=np.array([[1]]),
    Updates=rand(1, 2),
    says="Updates must have shape [1, 3], got [1, 2]",
)
