"""Rows of the random operators: what must be true whatever is drawn."""

import numpy as np
from tests.ops.cases import case, ragged, rand, refuse


def sizes(*numbers):
    return np.array(numbers, "int32")


def within(low, high, shape):
    return lambda Out: Out.shape == shape and low <= Out.min() < Out.mean() < Out.max() <= high and Out.std() > 0


SHARED = "both modes have generators of their own"
case("uniform_random", shape=[40, 50], min=-2.0, max=3.0, check=within(-2, 3, (40, 50)), modes=False, why=SHARED)
case("uniform_random", shape=[9], dtype=6, seed=3, check=within(-1, 1, (9,)))
case("uniform_random", ShapeTensor=sizes(30, 2), check=within(-1, 1, (30, 2)), batch="", modes=False, why=SHARED)
case(
    "uniform_random",
    ShapeTensorList=[sizes(30), sizes(2)],
    shape=[-1, 2],
    check=within(-1, 1, (30, 2)),
    batch="",
    modes=False,
    why=SHARED,
)
case(
    "uniform_random",
    shape=[3, 3],
    seed=5,
    diag_num=2,
    diag_step=3,
    diag_val=9.0,
    check=lambda Out: (Out == 9).reshape(-1).tolist() == [True, False, False, False, True] + [False] * 4,
)
case("uniform_random", shape=[50], min=1.0, max=0.0, seed=2, dtype=5, check=within(0, 1, (50,)), batch="")
refuse("uniform_random", shape=[2], dtype=3, says="uniform_random: dtype must be floating point, got int64")
refuse("uniform_random", shape=[2, -1], says="shape must not have negative sizes, got [2, -1]")
case("uniform_random_batch_size_like", Input=rand(30, 4), shape=[-1, 2], seed=4, check=within(-1, 1, (30, 2)))

case(
    "gaussian_random",
    shape=[100, 100],
    mean=3.0,
    std=2.0,
    seed=1,
    check=lambda Out: abs(Out.mean() - 3) < 0.1 and abs(Out.std() - 2) < 0.1 and Out.max() > 8,
)
case("gaussian_random", ShapeTensor=sizes(30, 2), dtype=6, seed=2, check=within(-9, 9, (30, 2)), batch="")
case("gaussian_random", shape=[50], std=-1.0, seed=2, dtype=5, check=within(-9, 9, (50,)), batch="")
case(
    "gaussian_random_batch_size_like",
    Input=rand(3, 40),
    shape=[2, -1],
    input_dim_idx=1,
    output_dim_idx=1,
    seed=4,
    check=within(-9, 9, (2, 40)),
)
case(
    "truncated_gaussian_random",
    shape=[100, 100],
    mean=3.0,
    std=2.0,
    seed=1,
    check=lambda Out: Out.min() >= -1 and Out.max() <= 7 and abs(Out.mean() - 3) < 0.1 and 1.6 < Out.std() < 1.9,
)

case("randint", shape=[500], low=3, high=5, seed=1, check=lambda Out: set(Out.tolist()) == {3, 4})
case(
    "randint",
    ShapeTensor=sizes(3, 2),
    low=0,
    high=5,
    dtype=2,
    seed=1,
    check=lambda Out: Out.shape == (3, 2) and Out.dtype == np.int32,
    batch="",
)
refuse("randint", shape=[2], low=3, high=3, says="randint: low must be below high, got low=3 and high=3")
case(
    "randperm", n=6, dtype=2, seed=1, check=lambda Out: sorted(Out.tolist()) == list(range(6)) and Out.dtype == np.int32
)
refuse("randperm", n=0, says="randperm: n must be at least 1, got 0")

case("sampling_id", X=np.array([[0, 1, 0], [0, 0, 1]], "float32"), expect=np.array([1, 2]))
case(
    "sampling_id",
    X=np.tile([0.25, 0.75], (4000, 1)),
    seed=3,
    check=lambda Out: abs(Out.mean() - 0.75) < 0.03,
)
refuse("sampling_id", X=rand(3), says="sampling_id: X must be a matrix of probabilities, got shape [3]")


def boxes(X, Out):
    """Every sample of Out stands somewhere in the same sample of X."""
    places = [(i, j) for i in range(2) for j in range(3)]
    return all(any(np.array_equal(x[i : i + 2, j : j + 2], out) for i, j in places) for x, out in zip(X, Out))


case("random_crop", X=rand(5, 3, 4), Seed=np.array([3]), shape=[2, 2], check=boxes, batch="X")
refuse(
    "random_crop",
    X=rand(5, 3, 4),
    Seed=np.array([3]),
    shape=[4, 4],
    says="random_crop: shape must fit into the last axes of X",
)


def shuffled(X, Out, ShuffleIdx):
    return np.array_equal(Out.reshape(-1, X.shape[-1])[ShuffleIdx], X.reshape(-1, X.shape[-1]))


case("shuffle_batch", X=rand(2, 3, 4), Seed=np.array([3]), check=shuffled, batch="X")
case("shuffle_batch", X=ragged([[2, 1]], 4), Seed=np.array([3]), check=shuffled, batch="X", expect_lod="X")
case("seed", seed=5, expect=np.array([5], "int32"))
case("seed", check=lambda Out: Out.shape == (1,) and Out.dtype == np.int32 and Out[0] > 0, modes=False, why=SHARED)
