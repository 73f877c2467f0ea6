import numpy as np
from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("sequence_scatter")


def scattered(X, Ids, Ids_lod, Updates):
    out = X.copy()
    np.add.at(out, (np.repeat(np.arange(len(X)), Ids_lod[0]), Ids.ravel()), Updates.ravel())
    return out


case("sequence_scatter", X=rand(3, 4), Ids=ragged([[3, 0, 2]], 1, dtype="int64", high=4),
     Updates=ragged([[3, 0, 2]], 1), expect=scattered, expect_lod=[])  # fmt: skip

refuse("sequence_scatter", X=rand(2, 4), Ids=ragged([[1, 1]], data=np.array([[0], [4]])), Updates=ragged([[1, 1]], 1),
       says="Ids must be from 0 to 3, got 0 to 4")  # fmt: skip
refuse("sequence_scatter", X=rand(3, 4), Ids=ragged([[1, 1]], data=np.array([[0], [1]])), Updates=ragged([[1, 1]], 1),
       says="X must have one row per sequence of Ids, 2, got [3, 4]")  # fmt: skip
