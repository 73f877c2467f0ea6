from tests.ops.cases import fixture

fixture("polygon_box_transform")
