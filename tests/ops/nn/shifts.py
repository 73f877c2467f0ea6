"""Rows of temporal_shift, row_conv, conv_shift and fsp."""

import numpy as np
from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("temporal_shift")
fixture("row_conv")
fixture("conv_shift")
fixture("fsp")


def shifted(X, seg_num, shift_ratio):
    videos = X.reshape(-1, seg_num, *X.shape[1:])
    out, one, two = np.copy(videos), int(X.shape[1] * shift_ratio), int(X.shape[1] * 2 * shift_ratio)
    out[:, 0, :one], out[:, 1:, :one] = 0, videos[:, :-1, :one]
    out[:, -1, one:two], out[:, :-1, one:two] = 0, videos[:, 1:, one:two]
    return out.reshape(X.shape)


case("temporal_shift", X=rand(6, 8, 2, 2), seg_num=3, expect=shifted)
case("temporal_shift", X=rand(4, 7, 2, 2), seg_num=2, shift_ratio=0.3, expect=shifted)
refuse("temporal_shift", X=rand(6, 8, 2, 2), seg_num=4, says="X has 6 frames, which are not videos of seg_num=4")
refuse("temporal_shift", X=rand(6, 8, 2, 2), seg_num=3, shift_ratio=0.6, says="must lie between 0 and 0.5, got 0.6")


def ahead(x, w):
    return np.stack([sum(x[t + i] * w[i] for i in range(len(w)) if t + i < len(x)) for t in range(len(x))])


case(
    "row_conv",
    X=ragged([[2, 1, 4]], 3),
    Filter=rand(3, 3),
    batch="X",
    expect_lod="X",
    expect=lambda X, Filter: np.concatenate([ahead(x, Filter) for x in np.split(X, [2, 3])]),
)
case(
    "row_conv",
    X=rand(2, 5, 3),
    Filter=rand(3, 3),
    batch="X",
    expect=lambda X, Filter: np.stack([ahead(x, Filter) for x in X]),
)
refuse("row_conv", X=rand(2, 5, 3), Filter=rand(3, 4), says="Filter must have shape [context + 1, 3], got [3, 4]")


def turned(X, Y):
    half = Y.shape[1] // 2
    return sum(np.roll(X, half - k, 1) * Y[:, k : k + 1] for k in range(Y.shape[1]))


case("conv_shift", X=rand(3, 7), Y=rand(3, 5), expect=turned)
refuse("conv_shift", X=rand(3, 7), Y=rand(3, 4), says="Y must have an odd width of at most 7, the width of X, got 4")

case("fsp", X=rand(2, 3, 4, 5), Y=rand(2, 2, 4, 5), expect=lambda X, Y: np.einsum("nihw,njhw->nij", X, Y) / 20)
refuse("fsp", X=rand(2, 3, 4, 5), Y=rand(2, 2, 4, 4), says="fsp: X and Y must be of one batch and image size")
