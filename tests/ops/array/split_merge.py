import numpy as np

from tests.ops.cases import case, ragged, rand, refuse

MASK = np.array([[True], [False], [True]])
case("split_lod_tensor", X=rand(3, 4), Mask=MASK, expect=lambda X, Mask: (X[[0, 2]], X[[1]]))
case("split_lod_tensor", X=rand(3, 4), Mask=np.zeros((3, 1), bool), expect=lambda X, Mask: (X[:0], X))
case("split_lod_tensor", X=ragged([[2, 0, 1]], 4), Mask=MASK, expect=lambda X, Mask, X_lod: (X, X[:0]))
refuse("split_lod_tensor", X=rand(2, 4), Mask=MASK, says="Mask chooses among 3 rows, but there are 2")
case("merge_lod_tensor", X=rand(3, 1), Mask=MASK, InTrue=rand(2, 4, seed=1), InFalse=rand(1, 4, seed=2),
     expect=lambda X, Mask, InTrue, InFalse: np.stack([InTrue[0], InFalse[0], InTrue[1]]))  # fmt: skip
