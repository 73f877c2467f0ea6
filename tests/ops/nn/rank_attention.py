import numpy as np
from tests.ops.cases import case, rand, refuse

# Fluid has this operator on GPUs alone. Three items, the first two on one page: rank, then rank and row of each other.
OFFSET = np.array([[2, 1, 1, 2, 0], [1, 1, 1, 2, 0], [0, 0, 0, 0, 0]], "int32")


def attended(X, RankOffset, RankParam, MaxRank):
    blocks = RankParam.reshape(MaxRank, MaxRank, X.shape[1], -1)
    out = np.zeros((len(X), blocks.shape[-1]))
    for i, (own, *pairs) in enumerate(RankOffset):
        for rank, row in zip(pairs[::2], pairs[1::2], strict=True):
            if own and rank:
                out[i] += X[row] @ blocks[own - 1, rank - 1]
    return out


case("rank_attention", X=rand(3, 2), RankOffset=OFFSET, RankParam=rand(8, 3), MaxRank=2, expect=attended,
     grad_inputs="RankParam", batch="X RankOffset")  # fmt: skip

refuse("rank_attention", X=rand(3, 2), RankOffset=OFFSET, RankParam=rand(6, 3), MaxRank=2,
       says="RankParam must be [MaxRank * MaxRank * width, outputs] = [8, ..], got [6, 3]")  # fmt: skip
refuse("rank_attention", X=rand(3, 2), RankOffset=OFFSET, RankParam=rand(18, 3), MaxRank=3,
       says="RankOffset must be [N, 1 + 2 * MaxRank] with MaxRank=3, got [3, 5]")  # fmt: skip
refuse("rank_attention", X=rand(3, 2), RankOffset=OFFSET + [[1, 0, 0, 0, 0]], RankParam=rand(8, 3), MaxRank=2,
       says="RankOffset has a rank above MaxRank=2")  # fmt: skip
refuse("rank_attention", X=rand(3, 2), RankOffset=OFFSET + [[0, 0, 2, 0, 0]], RankParam=rand(8, 3), MaxRank=2,
       says="RankOffset has an index outside 0 to 2, the rows of X")  # fmt: skip
