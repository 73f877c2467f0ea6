from tests.ops.cases import fixture

fixture("locality_aware_nms")
