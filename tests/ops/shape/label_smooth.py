"""Rows of label_smooth and add_position_encoding."""

import numpy as np
from tests.ops.cases import case, ragged, rand, refuse

case("label_smooth", X=rand(3, 4), epsilon=0.1, expect=lambda X: 0.9 * X + 0.1 / 4)
case(
    "label_smooth",
    X=rand(2, 3),
    PriorDist=np.array([[0.5, 0.3, 0.2]]),
    epsilon=0.1,
    expect=lambda X, PriorDist: 0.9 * X + 0.1 * PriorDist,
    batch="X",
)
case("label_smooth", X=ragged([[2, 1]], 4), expect=lambda X: X, expect_lod="X")
refuse(
    "label_smooth",
    X=rand(3, 4),
    PriorDist=rand(1, 3),
    says="label_smooth: PriorDist must have shape [1, 4], got [1, 3]",
)


def encoded(X, X_lod, alpha, beta):
    half = X.shape[-1] // 2
    lengths = [X.shape[-2]] if X_lod is None else X_lod[-1]
    position = np.concatenate([np.arange(n) for n in lengths])
    angle = position[:, None] / 10000 ** (np.arange(half) / (half - 1) if half > 1 else np.ones(1))
    return alpha * X + beta * np.concatenate([np.sin(angle), np.cos(angle)], 1)


case("add_position_encoding", X=rand(2, 3, 6), alpha=2.0, beta=0.5, expect=encoded)
case("add_position_encoding", X=rand(1, 4, 2), expect=encoded)
case("add_position_encoding", X=ragged([[2, 3]], 6), expect=encoded, expect_lod="X")
refuse(
    "add_position_encoding",
    X=rand(1, 2, 5),
    says="add_position_encoding: X must be [N, length, D] or [total length, D] with an even D, got [1, 2, 5]",
)
refuse("add_position_encoding", X=rand(2, 4), says="X of shape [2, 4] must have a LoD")
