import numpy as np
from tests.ops.cases import case, fixture, ragged, rand

fixture("lod_reset")
case("lod_reset", X=rand(6, 2), target_lod=[0, 2, 6], expect=lambda X: X, expect_lod=[[2, 4]])
case("lod_reset", X=ragged([[1, 5]], 2), Y=ragged([[1, 1], [2, 4]], 1), expect=lambda X: X, expect_lod="Y")
case("lod_reset", X=rand(6, 2), Y=np.array([0, 1, 6]), expect=lambda X: X, expect_lod=[[1, 5]], batch="X")
case("lod_reset", X=ragged([[2, 1]], data=np.ones((3, 2))), target_lod=[0, 1, 2, 3], append=True, expect=lambda X: X,
     expect_lod=[[2, 1], [1, 1, 1]])  # fmt: skip
