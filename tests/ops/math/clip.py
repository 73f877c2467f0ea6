"""Rows of clip, clip_by_norm and dgc_clip_by_norm."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse, sparse, spread

SPARSE = {"grad": False, "why": "a SelectedRows is itself a gradient"}

case("clip", X=spread(3, 4, step=0.2), min=-0.6, max=0.8, expect=lambda X: np.clip(X, -0.6, 0.8))
case(
    "clip",
    X=spread(9, step=0.2),
    Min=np.array([-0.2]),
    Max=np.array([0.4]),
    min=-9.0,
    max=9.0,
    batch="",
    expect=lambda X: np.clip(X, -0.2, 0.4),
)
case(
    "clip",
    X=spread(9, step=0.2),
    Max=np.array([0.4]),
    min=-0.2,
    max=9.0,
    batch="",
    expect=lambda X: np.clip(X, -0.2, 0.4),
)
case("clip", X=ragged([[2, 1]], 2), min=-0.5, max=0.5, expect_lod="X")
case("clip", X=sparse([1, 3, 1], 2, 5), min=-0.5, max=0.5, **SPARSE, expect=lambda X: np.clip(X.dense, -0.5, 0.5))
refuse("clip", X=rand(3), min=1.0, max=0.0, says="clip: min must not be greater than max, got min=1.0, max=0.0")
refuse("clip", X=ints(3), min=0.0, max=1.0, says="clip: X must be floating point, got int64")


def shortened(X, max_norm):
    return X * max_norm / max(np.sqrt((X * X).sum()), max_norm)


case("clip_by_norm", X=rand(3, 4), max_norm=0.5, expect=shortened)
case("clip_by_norm", X=rand(3, 4), max_norm=50.0, expect=lambda X: X)
case("clip_by_norm", X=sparse([1, 3, 1], 2, 5), max_norm=0.5, expect=lambda X: shortened(X.dense, 0.5))
refuse("clip_by_norm", X=rand(3), max_norm=0.0, says="clip_by_norm: max_norm must be positive, got 0.0")

STEP = np.array([4.0])
case(
    "dgc_clip_by_norm",
    current_step=STEP,
    X=rand(3, 4),
    max_norm=0.5,
    rampup_begin_step=2.0,
    batch="X",
    expect=lambda X: shortened(X, 0.5),
)
case("dgc_clip_by_norm", current_step=STEP, X=rand(3, 4), max_norm=0.5, rampup_begin_step=5.0, expect=lambda X: X)
case("dgc_clip_by_norm", current_step=STEP, X=rand(3, 4), max_norm=0.5, expect=lambda X: X)
