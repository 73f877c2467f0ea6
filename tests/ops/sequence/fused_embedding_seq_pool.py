import numpy as np
from tests.ops.cases import case, fixture, ints, ragged, rand, refuse

fixture("fused_embedding_seq_pool")


def pooled(W, Ids, Ids_lod):
    rows = W[Ids[:, 0]]
    return np.array([part.sum(0) for part in np.split(rows, np.cumsum(Ids_lod[0])[:-1])])


case("fused_embedding_seq_pool", W=rand(5, 2), Ids=ragged([[2, 0, 3]], 1, dtype="int64", high=5), combiner="sum",
     expect=pooled, expect_lod=[], batch="Ids")  # fmt: skip
case("fused_embedding_seq_pool", W=rand(5, 2), Ids=ragged([[2, 1]], data=np.array([[4], [4], [0]])), is_sparse=True,
     expect=pooled, expect_lod=[], batch="Ids")  # fmt: skip

IDS = ragged([[2, 1]], data=np.array([[4], [5], [0]]))
refuse("fused_embedding_seq_pool", W=rand(5, 2), Ids=IDS, says="Ids has 5, but W has rows 0 to 4")
refuse("fused_embedding_seq_pool", W=rand(6, 2), Ids=IDS, combiner="mean", says="combiner must be 'sum', got 'mean'")
refuse("fused_embedding_seq_pool", W=rand(6, 2), Ids=ints(3, 1, high=6), says="Ids must be a LoDTensor")
refuse("fused_embedding_seq_pool", W=rand(6, 2), Ids=ragged([[2, 1]], 2, dtype="int64", high=6),
       says="Ids must be [total length, 1], got [3, 2]")  # fmt: skip
