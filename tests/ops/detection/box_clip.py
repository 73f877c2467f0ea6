from tests.ops.cases import fixture, ragged, rand, refuse

fixture("box_clip")
refuse("box_clip", Input=ragged([[2, 1]], 4), ImInfo=rand(1, 3), says="Input has boxes of 2 images, but ImInfo has 1")
