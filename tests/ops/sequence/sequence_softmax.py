import numpy as np
from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("sequence_softmax")


def softmax(X, X_lod):
    powers = [np.exp(part) for part in np.split(X, np.cumsum(X_lod[-1])[:-1])]
    return np.concatenate([p / p.sum() for p in powers])


case("sequence_softmax", X=ragged([[3, 1, 4]], 1), expect=softmax, expect_lod="X")
case("sequence_softmax", X=ragged([[2, 1], [0, 3, 2]]), expect=softmax, expect_lod="X")
case("sequence_softmax", X=ragged([[2, 3]], 1, low=900, high=1000), check=lambda Out: np.isfinite(Out).all(), tol=1e-4)

refuse(
    "sequence_softmax",
    X=rand(4, 1),
    says="sequence_softmax: X must be a LoDTensor with at least one level; feed it with fluid.create_lod_tensor",
)
refuse("sequence_softmax", X=ragged([[2, 2]], 3), says="X must have one number per row, got the shape [4, 3]")
