from tests.ops.cases import fixture

fixture("retinanet_detection_output")
