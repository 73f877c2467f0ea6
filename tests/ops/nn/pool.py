"""Rows of pool2d, pool3d, max_pool2d_with_index, max_pool3d_with_index and unpool."""

import numpy as np
from tests.ops.cases import case, fixture, rand, refuse, spread

forgets = "Fluid 1.8.5 forgets `adaptive` where it looks for the largest, though not in max_pool2d_with_index"
fixture("pool2d", skip={8: forgets})
fixture("pool3d", skip={1: forgets})
fixture("max_pool2d_with_index")
fixture("max_pool3d_with_index")
fixture("unpool")


def tiles(X, k):
    """[N, C, H, W] -> [N, C, H / k, W / k, k * k]."""
    n, c, h, w = X.shape
    return X.reshape(n, c, h // k, k, w // k, k).transpose(0, 1, 2, 4, 3, 5).reshape(n, c, h // k, w // k, k * k)


two = {"ksize": [2, 2], "strides": [2, 2]}
case("pool2d", X=spread(2, 3, 4, 6), pooling_type="max", **two, expect=lambda X: tiles(X, 2).max(-1))
case("pool2d", X=spread(2, 9, 4, 6), pooling_type="max", **two, expect=lambda X: tiles(X, 2).max(-1))
case("pool2d", X=rand(2, 3, 4, 6), pooling_type="avg", **two, expect=lambda X: tiles(X, 2).mean(-1))
case(
    "pool2d",
    X=spread(2, 4, 6, 3),
    pooling_type="max",
    **two,
    data_format="NHWC",
    expect=lambda X: tiles(X.transpose(0, 3, 1, 2), 2).max(-1).transpose(0, 2, 3, 1),
)
for kind, best in (("max", np.max), ("avg", np.mean)):
    case(
        "pool2d",
        X=spread(2, 3, 4, 5),
        pooling_type=kind,
        ksize=[2, 2],
        paddings=[1, 1],
        global_pooling=True,
        expect=lambda X, best=best: best(X, (2, 3), keepdims=True),
    )
    case(
        "pool2d",
        X=spread(2, 3, 4, 6),
        pooling_type=kind,
        ksize=[2, 3],
        adaptive=True,
        expect=lambda X, best=best: best(tiles(X, 2), -1),
    )
    case(
        "pool3d",
        X=spread(2, 3, 2, 3, 4),
        pooling_type=kind,
        ksize=[1, 1, 1],
        adaptive=True,
        expect=lambda X, best=best: best(X, (2, 3, 4), keepdims=True),
    )
    case("pool3d", X=spread(2, 3, 3, 4, 2), pooling_type=kind, ksize=[2, 2, 2], data_format="NDHWC")
# windows that stick out: divided by the cells inside, or by the whole window
ones = np.ones((1, 1, 3, 3))
for exclusive, corner in ((True, 1.0), (False, 0.25)):
    case(
        "pool2d",
        X=ones,
        pooling_type="avg",
        **two,
        ceil_mode=True,
        exclusive=exclusive,
        expect=lambda corner=corner: np.array([[[[1.0, max(corner, 0.5)], [max(corner, 0.5), corner]]]]),
    )
    case(
        "pool2d",
        X=ones,
        pooling_type="avg",
        **two,
        paddings=[1, 0, 1, 0],
        exclusive=exclusive,
        expect=lambda corner=corner: np.array([[[[corner, max(corner, 0.5)], [max(corner, 0.5), 1.0]]]]),
    )
case(  # Fluid rounds towards zero: a window of 8 with stride 4 finds one place on 7 cells
    "pool2d",
    X=spread(1, 2, 7, 7),
    pooling_type="max",
    ksize=[8, 8],
    strides=[4, 4],
    expect=lambda X: X.max((2, 3), keepdims=True),
)
case("pool2d", X=spread(2, 3, 5, 6), pooling_type="max", ksize=[3, 2], strides=[2, 2], padding_algorithm="SAME")
case("pool2d", X=spread(2, 3, 5, 6), pooling_type="avg", ksize=[3, 2], strides=[2, 2], padding_algorithm="SAME")

case(
    "max_pool2d_with_index",
    X=np.array([[[[1.0, 5.0, 2.0], [3.0, 4.0, 9.0]]]]),
    ksize=[2, 2],
    expect=(np.array([[[[5.0, 9.0]]]]), np.array([[[[1, 5]]]])),
)
case("max_pool2d_with_index", X=spread(2, 9, 4, 4), ksize=[3, 3], paddings=[1, 1])
case("max_pool2d_with_index", X=spread(2, 3, 4, 4), ksize=[2, 2], adaptive=True)
case("max_pool3d_with_index", X=spread(2, 3, 4, 4, 3), ksize=[2, 2, 1], global_pooling=True)

places = np.array([[[[1, 5], [11, 12]]]])
case(
    "unpool",
    X=np.array([[[[1.0, 2.0], [3.0, 4.0]]]]),
    Indices=places,
    ksize=[2, 2],
    strides=[2, 2],
    unpooling_type="max",
    expect=np.array([[[[0.0, 1.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, 3.0], [4.0, 0.0, 0.0, 0.0]]]]),
)

image = rand(2, 3, 5, 5)
for says, given in {
    "X must have 4 dimensions, got 3: [3, 5, 5]": {"X": rand(3, 5, 5)},
    "the window spans 7 cells of axis 2, but the padded X has only 5": {"ksize": [7, 2]},
    "pooling_type must be max or avg, got 'min'": {"pooling_type": "min"},
    "ksize must have 2 numbers, got [2]": {"ksize": [2]},
    "ksize and strides must be positive, got [2, 2] and [0, 1]": {"strides": [0, 1]},
}.items():
    refuse("pool2d", **{"X": image, "pooling_type": "max", "ksize": [2, 2], **given}, says=f"pool2d: {says}")
refuse("max_pool2d_with_index", X=image, ksize=[2, 2], paddings=[2, 2], says="at most half of ksize [2, 2], got [2, 2]")
refuse(
    "unpool",
    X=rand(1, 1, 2, 2),
    Indices=np.full((1, 1, 2, 2), 16),
    ksize=[2, 2],
    strides=[2, 2],
    unpooling_type="max",
    says="unpool: Indices must lie in [0, 16), the cells of Out",
)
