import numpy as np
from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("match_matrix_tensor")


def matched(X, X_lod, Y, Y_lod, W):
    lefts, rights = (np.split(a, np.cumsum(lod[0])[:-1]) for a, lod in ((X, X_lod), (Y, Y_lod)))
    return np.concatenate(
        [np.einsum("na,atb,mb->tnm", x, W, y).reshape(-1, 1) for x, y in zip(lefts, rights, strict=True)]
    )


case("match_matrix_tensor", X=ragged([[2, 0, 1]], 3), Y=ragged([[1, 2, 2]], 2), W=rand(3, 2, 2), dim_t=2,
     expect=matched, expect_lod=[[4, 0, 4]])  # fmt: skip
refuse("match_matrix_tensor", X=ragged([[2, 1]], 3), Y=ragged([[3]], 3), W=rand(3, 1, 3),
       says="X and Y must have the same number of sequences, got 2 and 1")  # fmt: skip
refuse("match_matrix_tensor", X=ragged([[2, 1]], 3), Y=ragged([[3]], 3), W=rand(3, 2, 3), dim_t=1,
       says="W must be [width of X, dim_t, width of Y] = [3, 1, 3], got [3, 2, 3]")  # fmt: skip
refuse("match_matrix_tensor", X=rand(3, 3), Y=ragged([[3]], 3), W=rand(3, 1, 3), says="X must be a LoDTensor")
refuse("match_matrix_tensor", X=ragged([[3]], 3), Y=rand(3, 3), W=rand(3, 1, 3), says="Y must be a LoDTensor")
