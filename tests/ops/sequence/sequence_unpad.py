import numpy as np
from tests.ops.cases import case, fixture, rand, refuse

fixture("sequence_unpad")
case("sequence_unpad", X=rand(3, 4, 2), Length=np.array([2, 0, 4]), expect_lod=[[2, 0, 4]],
     expect=lambda X: np.concatenate([X[0, :2], X[2]]))  # fmt: skip
case(
    "sequence_unpad", X=rand(2, 3), Length=np.array([1, 3]), expect=lambda X: np.concatenate([X[0, :1], X[1]])[:, None]
)

refuse("sequence_unpad", X=rand(3, 4), Length=np.array([2, 1]), says="Length must be [3], one number per sequence")
refuse("sequence_unpad", X=rand(2, 4), Length=np.array([2, 5]), says="Length must be from 0 to 4, got [2, 5]")
