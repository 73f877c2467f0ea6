"""fusion_transpose_flatten_concat, which 1.8.5 has for GPUs alone: compared with numpy."""

import numpy as np
from tests.ops.cases import case, rand, refuse

heads = {"X": [rand(2, 3, 4, 5, seed=1), rand(2, 6, 2, 5, seed=2)], "trans_axis": [0, 2, 3, 1]}
case("fusion_transpose_flatten_concat", **heads, flatten_axis=1, concat_axis=1, expect=lambda X: np.concatenate(
    [x.transpose(0, 2, 3, 1).reshape(2, -1) for x in X], 1))  # fmt: skip
refuse("fusion_transpose_flatten_concat", **{**heads, "trans_axis": [1, 0]}, flatten_axis=1, concat_axis=1,
       says="trans_axis [1, 0] does not order the axes of X[0], got [2, 3, 4, 5]")  # fmt: skip
