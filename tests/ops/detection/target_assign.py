from tests.ops.cases import fixture, ints, ragged, rand, refuse

fixture("target_assign")
refuse("target_assign", X=ragged([[2, 1]], (1, 4)), MatchIndices=ints(3, 5),
       says="X has rows of 2 images, but MatchIndices has 3")  # fmt: skip
refuse("target_assign", X=rand(3, 1, 4), MatchIndices=ints(3, 5),
       says="X must have a LoD with the rows of each image, got none for 3 rows")  # fmt: skip
