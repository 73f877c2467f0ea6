from tests.ops.cases import fixture

fixture("matrix_nms")
