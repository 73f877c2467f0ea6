"""Rows of dropout."""

import numpy as np
from tests.ops.cases import case, ragged, rand, refuse

big = rand(100, 80, low=0.5, high=1.5)


def halved(Out, Mask, X, dropout_prob, dropout_implementation):
    scale = 1 / (1 - dropout_prob) if dropout_implementation == "upscale_in_train" else 1.0
    exact = np.allclose(Out, X * Mask * scale) and set(np.unique(Mask)) == {0, 1} and Mask.dtype == np.uint8
    return exact and abs(Mask.mean() - (1 - dropout_prob)) < 0.03  # five standard deviations


for prob in (0.5, 0.3, 0.9):
    for implementation in ("downgrade_in_infer", "upscale_in_train"):
        random = {"grad": False, "why": "the derived gradient would draw again"}
        case("dropout", X=big, dropout_prob=prob, dropout_implementation=implementation, check=halved, **random)
case("dropout", X=big, dropout_prob=0.5, fix_seed=True, seed=3, check=halved)
case("dropout", X=big, Seed=np.array([3], "int32"), dropout_prob=0.3, check=halved, batch="X")
case("dropout", X=rand(3, 5), dropout_prob=0.0, expect=lambda X: (X, np.ones((3, 5), "uint8")))
for implementation in ("downgrade_in_infer", "upscale_in_train"):
    nothing = {"dropout_prob": 1.0, "dropout_implementation": implementation}
    case("dropout", X=rand(3, 5), **nothing, expect=lambda X: (0 * X, np.zeros((3, 5), "uint8")))
case("dropout", X=rand(3, 4), dropout_prob=0.3, is_test=True, expect=lambda X: 0.7 * X)
case("dropout", X=rand(3, 4), is_test=True, dropout_implementation="upscale_in_train", expect=lambda X: X)
case("dropout", X=ragged([[2, 1]], 4), is_test=True, expect_lod="X")
refuse("dropout", X=rand(3), dropout_prob=1.5, says="dropout: dropout_prob must lie in [0, 1], got 1.5")
refuse("dropout", X=rand(3), dropout_implementation="x", says="must be downgrade_in_infer or upscale_in_train, got 'x'")
