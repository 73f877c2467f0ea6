from tests.ops.cases import fixture, rand, refuse

fixture("roi_pool")
refuse("roi_pool", X=rand(2, 3, 4, 4), ROIs=rand(5, 5), says="ROIs must be [regions, 4], got shape [5, 5]")
refuse("roi_pool", X=rand(1, 3, 4, 4), ROIs=rand(5, 4), pooled_height=0,
       says="the pooled height and width must be positive, got 0 and 1")  # fmt: skip
