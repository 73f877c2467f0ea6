import numpy as np
from tests.ops.cases import case, fixture, ints, ragged, refuse

fixture("sequence_enumerate")
case("sequence_enumerate", X=ragged([[3, 0, 1]], data=np.array([[5], [6], [7], [8]])), win_size=2, pad_value=-1,
     expect=np.array([[5, 6], [6, 7], [7, -1], [8, -1]]), expect_lod="X")  # fmt: skip
case("sequence_enumerate", X=ragged([[2, 1]], 1, dtype="int32"), win_size=1, expect=lambda X: X)

refuse("sequence_enumerate", X=ragged([[2, 1]], 2, dtype="int64"), win_size=2,
       says="X must be [total length, 1], got [3, 2]")  # fmt: skip
refuse(
    "sequence_enumerate",
    X=ints(3, 1),
    win_size=2,
    says="X must be a LoDTensor with at least one level; feed it with fluid.create_lod_tensor",
)
