from tests.ops.cases import fixture, ragged, rand, refuse

fixture("rpn_target_assign")
refuse("rpn_target_assign", Anchor=rand(4, 4), GtBoxes=ragged([[2, 1]], 4), ImInfo=rand(3, 3),
       IsCrowd=ragged([[2, 1]], 1, "int32"), says="GtBoxes has rows of 2 images, but ImInfo has 3")  # fmt: skip
