from tests.ops.cases import fixture

fixture("target_assign")
