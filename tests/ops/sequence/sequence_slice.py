import numpy as np
from tests.ops.cases import case, fixture, ragged, refuse

fixture("sequence_slice")
case("sequence_slice", X=ragged([[3, 1, 4]], 2), Offset=np.array([[1], [0], [2]]), Length=np.array([[2], [1], [1]]),
     expect=lambda X: X[[1, 2, 3, 6]], expect_lod=[[2, 1, 1]], batch="X")  # fmt: skip

refuse("sequence_slice", X=ragged([[3, 1]], 2), Offset=np.array([[1], [0]]), Length=np.array([[3], [1]]),
       says="sequence 0 has 3 rows, so Offset 1 and Length 3 do not lie in it")  # fmt: skip
refuse("sequence_slice", X=ragged([[3, 1]], 2), Offset=np.array([[1]]), Length=np.array([[2], [1]]),
       says="Offset must have one number per sequence, 2, got [1, 1]")  # fmt: skip
