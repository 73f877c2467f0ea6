from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("lstm")
# Through Hidden and Cell (Fluid ignores the gradient of Cell), with a sequence that is empty.
for peepholes in (False, True):
    case("lstm", Input=ragged([[1, 0, 3]], 8), H0=rand(3, 2), C0=rand(3, 2), Weight=rand(2, 8),
         Bias=rand(1, 14 if peepholes else 8), use_peepholes=peepholes, is_reverse=peepholes)  # fmt: skip
refuse("lstm", Input=ragged([[2]], 8), Weight=rand(3, 8), Bias=rand(1, 8),
       says="Weight must be [D, 4D] and Input [rows, 4D], got [3, 8], [2, 8]")  # fmt: skip
refuse("lstm", Input=ragged([[2]], 8), Weight=rand(2, 8), Bias=rand(1, 8),
       says="Bias must have 7 * 2 elements with use_peepholes=True, got [1, 8]")  # fmt: skip
refuse("lstm", Input=ragged([[2]], 8), Weight=rand(2, 8), Bias=rand(1, 8), use_peepholes=False, gate_activation="elu",
       says="activations must be one of identity, sigmoid, tanh, relu, got 'elu'")  # fmt: skip
