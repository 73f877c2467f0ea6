from tests.ops.cases import fixture, ints, rand, refuse

fixture("yolov3_loss")
refuse("yolov3_loss", X=rand(1, 14, 2, 2), GTBox=rand(1, 3, 4), GTLabel=ints(1, 2), class_num=2, anchors=[1, 2, 3, 4],
       anchor_mask=[0, 1], says="GTLabel must be [1, 3] as GTBox, got shape [1, 2]")  # fmt: skip
refuse("yolov3_loss", X=rand(1, 14, 2, 2), GTBox=rand(1, 3, 4), GTLabel=ints(1, 3), class_num=2, anchors=[1, 2, 3, 4],
       anchor_mask=[0, 2], says="anchor_mask must be numbers of the 2 anchors, got [0, 2]")  # fmt: skip
