from tests.ops.cases import fixture

fixture("iou_similarity")
