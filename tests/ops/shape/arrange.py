"""Rows of meshgrid, tril_triu, reverse, flip, roll, multiplex, partial_concat, and of pixels and channels that move."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse

case("meshgrid", X=[rand(4), rand(3)], expect=lambda X: list(np.meshgrid(*X, indexing="ij")), batch="")
case("meshgrid", X=[rand(2), rand(3), rand(4)], expect=lambda X: list(np.meshgrid(*X, indexing="ij")), batch="")
refuse("meshgrid", X=[rand(4), rand(3, 1)], says="meshgrid: every X must have one axis, but X[1] has shape [3, 1]")

case("tril_triu", X=rand(2, 3, 4), diagonal=1, lower=True, expect=lambda X: np.tril(X, 1))
case("tril_triu", X=rand(3, 4), lower=False, expect=lambda X: np.triu(X))
refuse("tril_triu", X=rand(3), lower=True, says="tril_triu: X must have at least 2 axes, got shape [3]")

case("reverse", X=rand(3, 4), axis=[0, -1], expect=lambda X: X[::-1, ::-1])
case("reverse", X=ragged([[2, 1]], 4), axis=[0], expect=lambda X: X[::-1], expect_lod=[])
refuse("reverse", X=rand(3), axis=[1], says="axis must be in [-1, 0] for a tensor of rank 1, got 1")
case("flip", X=ragged([[2, 1]], 4), dims=[1], expect=lambda X: X[:, ::-1], expect_lod="X")
refuse("flip", X=rand(3), dims=[1], says="dims must be in [-1, 0] for a tensor of rank 1, got 1")
case("roll", X=rand(3, 4), shifts=[1, 2], dims=[0, 1], expect=lambda X: np.roll(X, (1, 2), (0, 1)))
refuse("roll", X=rand(3), shifts=[1], dims=[], says="roll: shifts and dims must have the same length, got [1] and []")

case(
    "multiplex",
    Ids=np.array([[1], [0], [1]], "int32"),
    X=[rand(3, 4), rand(3, 4)],
    expect=lambda X: np.stack([X[1][0], X[0][1], X[1][2]]),
)
refuse(
    "multiplex",
    Ids=np.array([[1], [2]]),
    X=[rand(2, 3), rand(2, 3)],
    says="multiplex: Ids must be in [0, 1], got [1, 2]",
)
refuse("multiplex", Ids=np.array([[1]]), X=[rand(2, 3), rand(2, 3)], says="Ids must have shape [2, 1], got [1, 1]")
case(
    "partial_concat",
    X=[rand(3, 4), rand(3, 4)],
    start_index=1,
    length=2,
    expect=lambda X: np.concatenate([x[:, 1:3] for x in X], 1),
)
case(
    "partial_concat",
    X=[rand(3, 4), rand(3, 4)],
    start_index=-2,
    expect=lambda X: np.concatenate([x[:, 2:] for x in X], 1),
)
refuse(
    "partial_concat",
    X=[rand(3, 4)],
    start_index=3,
    length=2,
    says="start_index=3 and length=2 leave the 4 columns of X",
)

# What 1.8.5 makes of the numbers from 0 on.
SIXTEEN = np.arange(16.0).reshape(1, 4, 2, 2)
MOVED = np.array([0, 4, 1, 5, 8, 12, 9, 13, 2, 6, 3, 7, 10, 14, 11, 15.0])
case("space_to_depth", X=SIXTEEN, expect=MOVED.reshape(1, 16, 1, 1))
case(
    "space_to_depth",
    X=np.arange(64.0).reshape(1, 4, 4, 4),
    check=lambda Out: Out.reshape(-1)[:12].tolist() == [0, 16, 1, 17, 2, 18, 3, 19, 32, 48, 33, 49],
)
case("space_to_depth", X=rand(2, 9, 3, 6), blocksize=3, check=lambda Out: Out.shape == (2, 81, 1, 2))
refuse(
    "space_to_depth", X=rand(1, 3, 2, 2), says="space_to_depth: C must be a multiple of 4, H and W of 2, got 3, 2 and 2"
)
case("pixel_shuffle", X=SIXTEEN, upscale_factor=2, expect=MOVED.reshape(1, 1, 4, 4))
refuse(
    "pixel_shuffle",
    X=rand(1, 3, 2, 2),
    upscale_factor=2,
    says="C must be a multiple of upscale_factor squared, got C=3 and 2",
)
case("shuffle_channel", X=rand(2, 6, 1, 2), group=2, expect=lambda X: X[:, [0, 3, 1, 4, 2, 5]])
refuse("shuffle_channel", X=rand(1, 3, 2, 2), group=2, says="C must be a multiple of group, got C=3 and group=2")


def unfolded(X, kernel_sizes, strides, paddings, dilations):
    top, left, bottom, right = paddings
    padded = np.pad(X, ((0, 0), (0, 0), (top, bottom), (left, right)))
    (kh, kw), (sh, sw), (dh, dw) = kernel_sizes, strides, dilations
    rows = range(0, padded.shape[2] - dh * (kh - 1), sh)
    columns = range(0, padded.shape[3] - dw * (kw - 1), sw)
    windows = [
        padded[:, :, r : r + dh * kh : dh, c : c + dw * kw : dw].reshape(X.shape[0], -1) for r in rows for c in columns
    ]
    return np.stack(windows, -1)


case(
    "unfold",
    X=rand(2, 3, 4, 4),
    kernel_sizes=[2, 3],
    strides=[2, 1],
    paddings=[0] * 4,
    dilations=[1, 1],
    expect=unfolded,
)
case(
    "unfold",
    X=rand(1, 2, 4, 5),
    kernel_sizes=[2, 2],
    strides=[1, 2],
    paddings=[1, 0, 0, 1],
    dilations=[2, 1],
    expect=unfolded,
)
refuse(
    "unfold",
    X=rand(1, 2, 4, 5),
    kernel_sizes=[6, 2],
    strides=[1, 1],
    paddings=[0] * 4,
    dilations=[1, 1],
    says="unfold: a window of 6 does not fit into 4 + 0 + 0 pixels",
)

case(
    "unique",
    X=np.array([2, 3, 3, 1, 5, 3]),
    dtype=2,
    expect=(np.array([2, 3, 1, 5]), np.array([0, 1, 1, 2, 3, 1], "int32")),
)
case(
    "unique_with_counts",
    X=np.array([2, 3, 3, 1, 5, 3]),
    dtype=3,
    expect=(np.array([2, 3, 1, 5]), np.array([0, 1, 1, 2, 3, 1]), np.array([1, 3, 1, 1])),
)
refuse("unique", X=ints(2, 2), dtype=2, says="unique: X must have one axis, got shape [2, 2]")

case(
    "shard_index",
    X=np.array([[1], [6], [12], [19]]),
    index_num=20,
    nshards=2,
    shard_id=0,
    expect=np.array([[1], [6], [-1], [-1]]),
)
case(
    "shard_index",
    X=np.array([[1], [6], [12], [19]]),
    index_num=21,
    nshards=2,
    shard_id=1,
    expect=np.array([[-1], [-1], [1], [8]]),
)
refuse(
    "shard_index",
    X=np.array([[25]]),
    index_num=20,
    nshards=2,
    shard_id=1,
    says="shard_index: X must be in [0, 19], got values in [25, 25]",
)
refuse(
    "shard_index", X=np.array([[5]]), index_num=20, nshards=2, shard_id=2, says="shard_id must be in [0, nshards - 1]"
)
