from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("gru")
case("gru", Input=ragged([[1, 0, 3]], 6), H0=rand(3, 2), Weight=rand(2, 6), Bias=rand(1, 6), is_reverse=True)
case("gru", Input=ragged([[2, 1]], 6), Weight=rand(2, 6), origin_mode=True)
refuse("gru", Input=ragged([[2]], 6), Weight=rand(3, 6),
       says="Weight must be [D, 3D] and Input [rows, 3D], got [3, 6], [2, 6]")  # fmt: skip
refuse("gru", Input=ragged([[2]], 6), Weight=rand(2, 6), Bias=rand(1, 5),
       says="Bias must have 3 * 2 elements, got [1, 5]")  # fmt: skip
