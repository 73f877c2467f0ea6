from tests.ops.cases import fixture, rand, refuse

fixture("iou_similarity")
refuse("iou_similarity", X=rand(3, 4), Y=rand(2, 5), says="Y must be boxes [N, 4], got shape [2, 5]")
