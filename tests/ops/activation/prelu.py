"""Rows of prelu."""

import numpy as np
from tests.ops.cases import case, ragged, rand, refuse


def prelu(X, Alpha):
    return np.where(X > 0, X, Alpha * X)


case("prelu", X=rand(2, 3, 2, 2, away_from=0), Alpha=rand(1), expect=prelu)
case("prelu", X=rand(2, 3, 2, 2, away_from=0), Alpha=rand(1, 3, 1, 1), mode="channel", expect=prelu)
case(
    "prelu",
    X=rand(2, 3, 2, 2, away_from=0),
    Alpha=rand(3),
    mode="channel",
    expect=lambda X, Alpha: prelu(X, Alpha.reshape(3, 1, 1)),
)
case("prelu", X=rand(2, 3, away_from=0), Alpha=rand(1, 3), mode="channel", expect=prelu)
case("prelu", X=rand(2, 3, 2, 2, away_from=0), Alpha=rand(1, 3, 2, 2), mode="element", expect=prelu)
case("prelu", X=ragged(lengths=[[2, 1]], width=(3, 1, 1)), Alpha=rand(1), expect_lod="X")
refuse(
    "prelu", X=rand(2, 3), Alpha=rand(2), mode="channel", says="prelu: Alpha has 2 elements, but mode 'channel' takes 3"
)
refuse(
    "prelu",
    X=rand(2, 3),
    Alpha=rand(1),
    mode="some",
    says="prelu: mode must be 'all', 'channel' or 'element', got 'some'",
)
refuse("prelu", X=rand(3), Alpha=rand(3), mode="channel", says="X must have a channel axis (rank 2 or more)")
