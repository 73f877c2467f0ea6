from tests.ops.cases import fixture, ragged, rand, refuse

fixture("roi_align")
refuse("roi_align", X=rand(2, 3, 4, 4), ROIs=rand(5, 4), says="ROIs must have a LoD that assigns each to one of")
refuse("roi_align", X=rand(2, 3, 4, 4), ROIs=ragged([[1, 2, 2]], 4), says="ROIs are of 3 images, but there are 2 maps")
