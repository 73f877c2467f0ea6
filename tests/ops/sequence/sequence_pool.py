import numpy as np
from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("sequence_pool")


def pooled(function, pad=0.0):
    """Every sequence of the last level through `function`."""
    return lambda X, X_lod: np.array(
        [function(part) if len(part) else np.full(X.shape[1:], pad) for part in np.split(X, np.cumsum(X_lod[-1])[:-1])]
    )


KINDS = {
    "SUM": lambda x: x.sum(0),
    "AVERAGE": lambda x: x.mean(0),
    "SQRT": lambda x: x.sum(0) / np.sqrt(len(x)),
    "MAX": lambda x: x.max(0),
    "LAST": lambda x: x[-1],
    "FIRST": lambda x: x[0],
}
for kind, function in KINDS.items():
    for lengths in ([[3, 1, 2]], [[1, 2], [2, 1, 4]], [[0, 3, 0, 2, 0]]):
        outer = lengths[:-1]
        case("sequence_pool", X=ragged(lengths, 3, distinct=True), pooltype=kind, pad_value=0.5,
             expect=pooled(function, 0.5), expect_lod=outer)  # fmt: skip
        case("sequence_pool", X=ragged(lengths, (2, 3), distinct=True), pooltype=kind, expect=pooled(function),
             expect_lod=outer)  # fmt: skip
    case("sequence_pool", X=ragged([[0, 0]], 3), pooltype=kind, expect=np.zeros((2, 3)))
    case("sequence_pool", X=ragged([[2, 1]], 3, dtype="float32"), pooltype=kind, expect=pooled(function))
case("sequence_pool", X=ragged([[2, 1]], 3), pooltype="MAX", is_test=True, expect=pooled(KINDS["MAX"]), grad=False,
     why="MaxIndex is not made for inference")  # fmt: skip
# Of equal maxima the first gets the gradient; replaying the kernel would share it out.
case("sequence_pool", X=ragged([[3, 0, 2]], data=np.array([[1.0], [2], [2], [0], [0]])), pooltype="MAX", grad=False,
     expect=lambda: (np.array([[2.0], [0], [0]]), np.array([[1], [-1], [3]])), why="ties")  # fmt: skip

refuse(
    "sequence_pool",
    X=rand(4, 3),
    says="sequence_pool: X must be a LoDTensor with at least one level; feed it with fluid.create_lod_tensor",
)
refuse("sequence_pool", X=ragged([[2, 2]], 3), pooltype="MIN", says="pooltype must be one of AVERAGE, SUM, SQRT, MAX")
