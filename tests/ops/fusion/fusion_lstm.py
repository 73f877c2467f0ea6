from tests.ops.cases import fixture, ragged, rand, refuse

fixture("fusion_lstm")
refuse("fusion_lstm", X=ragged([[2]], 3), WeightX=rand(4, 8), WeightH=rand(2, 8), Bias=rand(1, 8), use_peepholes=False,
       says="WeightX must have a row for each column of X, got [4, 8], [2, 3]")  # fmt: skip
