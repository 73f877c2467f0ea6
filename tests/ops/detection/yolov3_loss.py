from tests.ops.cases import fixture

fixture("yolov3_loss")
