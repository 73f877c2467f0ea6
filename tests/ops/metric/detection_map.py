from tests.ops.cases import fixture

fixture("detection_map")
