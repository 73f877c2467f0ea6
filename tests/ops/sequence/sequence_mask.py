import numpy as np
from tests.ops.cases import case, fixture, ints

fixture("sequence_mask")
BOOL, INT64, FLOAT32 = 0, 3, 5


def mask(X, size):
    return np.arange(size) < X[..., None]


case("sequence_mask", X=ints(2, 3, high=5), maxlen=4, out_dtype=FLOAT32, expect=lambda X: mask(X, 4) * 1.0)
case("sequence_mask", X=np.array([1, 3, 0]), out_dtype=INT64, expect=lambda X: mask(X, 3).astype("int64"))
case("sequence_mask", X=np.array([1, 3, 0], "int32"), MaxLenTensor=np.array([5], "int32"), out_dtype=BOOL, batch="X",
     expect=lambda X: mask(X, 5))  # fmt: skip
