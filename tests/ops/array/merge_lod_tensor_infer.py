import numpy as np

from tests.ops.cases import case, rand

case("merge_lod_tensor_infer", X=rand(3, 1), Mask=np.array([[True], [False], [True]]), InTrue=rand(2, 4, seed=1),
     InFalse=rand(1, 4, seed=2),
     expect=lambda InTrue, InFalse: np.stack([InTrue[0], InFalse[0], InTrue[1]]))  # fmt: skip
