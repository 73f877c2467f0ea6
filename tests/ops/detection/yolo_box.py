from tests.ops.cases import fixture, ints, rand, refuse

fixture("yolo_box")
refuse("yolo_box", X=rand(1, 13, 2, 2), ImgSize=ints(1, 2), class_num=2, anchors=[1, 2, 3, 4],
       says="X must be [N, anchors * (5 + class_num) = 14, H, W], got shape [1, 13, 2, 2]")  # fmt: skip
refuse("yolo_box", X=rand(1, 14, 2, 2), ImgSize=ints(1, 2), class_num=2, anchors=[1, 2, 3],
       says="anchors must be pairs of width and height, got [1, 2, 3]")  # fmt: skip
