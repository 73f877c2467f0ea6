from tests.ops.cases import fixture, ragged, rand, refuse

fixture("lstmp")
refuse("lstmp", Input=ragged([[2]], 8), Weight=rand(3, 8), ProjWeight=rand(3, 3), Bias=rand(1, 8),
       says="ProjWeight must be [D, P], Weight [P, 4D] and Input [rows, 4D], got [3, 3], [3, 8], [2, 8]")  # fmt: skip
refuse("lstmp", Input=ragged([[2]], 8), Weight=rand(3, 8), ProjWeight=rand(2, 3), Bias=rand(1, 8),
       says="Bias must have 7 * 2 elements with use_peepholes=True, got [1, 8]")  # fmt: skip
