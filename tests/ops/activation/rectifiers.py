"""Rows of relu, relu6, brelu, thresholded_relu."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse

case("relu", X=rand(3, 4, away_from=0), expect=lambda X: np.maximum(X, 0))
case("relu", X=ragged(lengths=[[2, 1]], width=4), expect_lod="X", expect=lambda X: np.maximum(X, 0))
case("relu", X=rand(2, 3, 4, 4, away_from=0, dtype="float32"), expect=lambda X: np.maximum(X, 0))
refuse("relu", X=ints(3), says="relu: X must be floating point, got int64")

case("relu6", X=rand(3, 4, low=-2, high=2, away_from=0), expect=lambda X: np.clip(X, 0, 6))
case("relu6", X=rand(3, 4, low=0.2, high=2, away_from=1), threshold=1.0, expect=lambda X: np.clip(X, 0, 1))

case("brelu", X=rand(3, 4, low=-5, high=5, away_from=0), expect=lambda X: np.clip(X, 0, 24))
case("brelu", X=rand(8, low=-0.9, high=3, away_from=2), t_min=-1.0, t_max=2.0, expect=lambda X: np.clip(X, -1, 2))

case("thresholded_relu", X=rand(3, 4, low=-3, high=3, away_from=1), expect=lambda X: np.where(X > 1, X, 0))
case("thresholded_relu", X=rand(9, away_from=-0.5), threshold=-0.5, expect=lambda X: np.where(X > -0.5, X, 0))
