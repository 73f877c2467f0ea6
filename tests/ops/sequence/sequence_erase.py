import numpy as np
from tests.ops.cases import case, fixture, ints, ragged, refuse

fixture("sequence_erase")
case("sequence_erase", X=ragged([[4, 0, 2]], data=np.array([[1], [2], [3], [2], [2], [5]])), tokens=[2, 3],
     expect=np.array([[1], [5]]), expect_lod=[[1, 0, 1]])  # fmt: skip
case("sequence_erase", X=ragged([[1, 1], [2, 1]], data=np.array([1, 2, 2], "int32")), tokens=[2],
     expect=np.array([1]), expect_lod=[[1, 1], [1, 0]])  # fmt: skip
case("sequence_erase", X=ragged([[2, 1]], 1, dtype="int64"), tokens=[], expect=lambda X: X, expect_lod="X")

refuse(
    "sequence_erase",
    X=ints(3, 1),
    tokens=[1],
    says="X must be a LoDTensor with at least one level; feed it with fluid.create_lod_tensor",
)
