from tests.ops.cases import fixture

fixture("roi_perspective_transform")
