import numpy as np
from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("sequence_concat")
case("sequence_concat", X=[ragged([[2, 1, 0]], 2), ragged([[0, 1, 2]], 2), ragged([[1, 1, 1]], 2)], batch="X",
     expect=lambda X: np.concatenate(X)[[0, 1, 6, 2, 3, 7, 4, 5, 8]], expect_lod=[[3, 3, 3]])  # fmt: skip

refuse(
    "sequence_concat",
    X=[ragged([[2, 1]], 2), rand(3, 2)],
    says="X must be a LoDTensor with at least one level; feed it with fluid.create_lod_tensor",
)
refuse("sequence_concat", X=[ragged([[2, 1]], 2)], says="X must be at least two tensors, got 1")
refuse("sequence_concat", X=[ragged([[2, 1]], 2), ragged([[2, 1]], 3)],
       says="all X must have rows of one shape, got [[3, 2], [3, 3]]")  # fmt: skip
refuse("sequence_concat", X=[ragged([[2, 1]], 2), ragged([[3]], 2)],
       says="all X must have the same number of sequences, got [2, 1]")  # fmt: skip
