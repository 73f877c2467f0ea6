from tests.ops.cases import fixture

fixture("rpn_target_assign")
