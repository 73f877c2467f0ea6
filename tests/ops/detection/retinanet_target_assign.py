from tests.ops.cases import fixture

fixture("retinanet_target_assign")
