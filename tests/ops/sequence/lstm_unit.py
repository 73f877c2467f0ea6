from tests.ops.cases import fixture, rand, refuse

fixture("lstm_unit")
refuse("lstm_unit", X=rand(3, 6), C_prev=rand(3, 2), says="C_prev must be [N, D] and X [N, 4D], got [3, 2] and [3, 6]")
