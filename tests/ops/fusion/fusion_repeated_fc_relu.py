from tests.ops.cases import fixture

fixture("fusion_repeated_fc_relu")
