from tests.ops.cases import fixture

fixture("yolo_box")
