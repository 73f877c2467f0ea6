from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("sequence_reverse")
case("sequence_reverse", X=ragged([[3, 0, 2]], 2), expect=lambda X: X[[2, 1, 0, 4, 3]], expect_lod="X")
case("sequence_reverse", X=ragged([[1, 1], [2, 2]], dtype="int64"), expect=lambda X: X[[1, 0, 3, 2]], expect_lod="X")

refuse(
    "sequence_reverse",
    X=rand(4, 2),
    says="sequence_reverse: X must be a LoDTensor with at least one level; feed it with fluid.create_lod_tensor",
)
