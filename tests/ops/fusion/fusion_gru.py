from tests.ops.cases import fixture

fixture("fusion_gru")
