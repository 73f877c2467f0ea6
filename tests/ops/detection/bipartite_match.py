from tests.ops.cases import fixture, rand, refuse

fixture("bipartite_match")
refuse("bipartite_match", DistMat=rand(3, 4), match_type="best",
       says="match_type must be bipartite or per_prediction, got 'best'")  # fmt: skip
