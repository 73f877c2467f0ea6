from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("sequence_expand")
case("sequence_expand", X=rand(3, 2), Y=ragged([[2, 0, 3]], 1), expect=lambda X: X[[0, 0, 2, 2, 2]], expect_lod=[])
case("sequence_expand", X=ragged([[2, 1]], 2), Y=ragged([[2, 3], [1, 1, 1, 1, 2]], 1), ref_level=0,
     expect=lambda X: X[[0, 1, 0, 1, 2, 2, 2]], expect_lod=[[2, 2, 1, 1, 1]])  # fmt: skip
case("sequence_expand", X=ragged([[2, 0, 1]], 2), Y=ragged([[0, 2, 1]], 1), expect=lambda X: X[[2]],
     expect_lod=[[0, 0, 1]])  # fmt: skip
case("sequence_expand", X=rand(2, 2, 3), Y=ragged([[2, 1], [2, 1, 3]], 1), ref_level=0, expect=lambda X: X[[0, 0, 1]])

refuse("sequence_expand", X=rand(3, 2), Y=rand(6, 1), says="Y must be a LoDTensor with at least one level")
refuse("sequence_expand", X=rand(3, 2), Y=ragged([[2, 1]], 1), says="X has 3 rows, but level -1 of Y has 2 sequences")
refuse("sequence_expand", X=rand(2, 2), Y=ragged([[2, 1]], 1), ref_level=1,
       says="ref_level must be from -1 to 0, Y has 1 levels, got 1")  # fmt: skip
