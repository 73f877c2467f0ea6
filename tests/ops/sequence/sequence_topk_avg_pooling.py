import numpy as np
from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("sequence_topk_avg_pooling")
ROW, COLUMN = ragged([[2, 1]], 1), ragged([[2, 3]], 1)
X = ragged([[4, 3]], data=np.array([[3.0], [1.0], [0.5], [2.0], [5.0], [7.0], [6.0]]))
case("sequence_topk_avg_pooling", X=X, ROW=ROW, COLUMN=COLUMN, topks=[1, 2, 4], channel_num=1, grad_inputs="X",
     expect=np.array([[3, 2, 1], [2, 1.25, 0.625], [7, 6.5, 4.5]]), expect_lod="ROW")  # fmt: skip

refuse("sequence_topk_avg_pooling", X=X, ROW=ROW, COLUMN=COLUMN, topks=[1], channel_num=2,
       says="sequence 0 of X must hold 2 channels of 2 rows and 2 columns, 8 in all, got 4")  # fmt: skip
refuse("sequence_topk_avg_pooling", X=X, ROW=ROW, COLUMN=COLUMN, topks=[0], channel_num=1,
       says="topks must be positive numbers, got [0]")  # fmt: skip
refuse("sequence_topk_avg_pooling", X=X, ROW=ragged([[2]], 1), COLUMN=COLUMN, topks=[1], channel_num=1,
       says="X, ROW and COLUMN must have the same number of sequences, got 2, 1 and 2")  # fmt: skip
refuse("sequence_topk_avg_pooling", X=X, ROW=rand(3, 1), COLUMN=COLUMN, topks=[1], channel_num=1,
       says="ROW and COLUMN must be LoDTensors")  # fmt: skip
