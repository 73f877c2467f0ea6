from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("sequence_expand_as")
case("sequence_expand_as", X=rand(3, 2), Y=ragged([[2, 0, 3]], 1), expect=lambda X: X[[0, 0, 2, 2, 2]], expect_lod="Y")

refuse("sequence_expand_as", X=rand(3, 2), Y=rand(6, 1), says="Y must be a LoDTensor with at least one level")
refuse("sequence_expand_as", X=rand(3, 2), Y=ragged([[2, 4]], 1), says="X has 3 rows, but Y has 2 sequences")
