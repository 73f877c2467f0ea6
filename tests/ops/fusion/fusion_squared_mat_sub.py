from tests.ops.cases import fixture

fixture("fusion_squared_mat_sub")
