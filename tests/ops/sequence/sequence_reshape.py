from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("sequence_reshape")
case("sequence_reshape", X=ragged([[2, 0, 4]], 3), new_dim=6, expect=lambda X: X.reshape(-1, 6), expect_lod=[[1, 0, 2]])
case("sequence_reshape", X=ragged([[2, 1]], 4), new_dim=2, expect=lambda X: X.reshape(-1, 2), expect_lod=[[4, 2]])

refuse("sequence_reshape", X=ragged([[1, 2]], 3), new_dim=2,
       says="a sequence of 1 rows of 3 numbers cannot be laid out in rows of new_dim=2")  # fmt: skip
refuse(
    "sequence_reshape",
    X=rand(4, 2),
    new_dim=4,
    says="X must be a LoDTensor with at least one level; feed it with fluid.create_lod_tensor",
)
