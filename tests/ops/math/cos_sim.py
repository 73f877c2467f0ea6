"""Rows of cos_sim."""

import numpy as np
from tests.ops.cases import case, ragged, rand, refuse


def cos_sim(X, Y):
    x, y = X.reshape(X.shape[0], -1), Y.reshape(Y.shape[0], -1)
    x_norm, y_norm = (np.maximum(np.linalg.norm(m, axis=1, keepdims=True), 1e-4) for m in (x, y))
    return (x * y).sum(1, keepdims=True) / (x_norm * y_norm), x_norm, y_norm


case("cos_sim", X=rand(3, 4), Y=rand(3, 4), expect=cos_sim)
case("cos_sim", X=rand(3, 4), Y=rand(1, 4), expect=cos_sim, batch="X")
case("cos_sim", X=rand(3, 2, 2), Y=rand(3, 2, 2), expect=cos_sim)
case("cos_sim", X=np.zeros((2, 3)), Y=rand(2, 3), expect=cos_sim, grad=False, why="the length has a kink at zero")
case("cos_sim", X=ragged([[2, 1]], 4), Y=rand(3, 4), expect_lod={"Out": "X", "XNorm": []})
refuse(
    "cos_sim",
    X=rand(3, 4),
    Y=rand(2, 4),
    says="Y must have the shape of X or be one row of it, got shapes [3, 4] and",
)
