from tests.ops.cases import fixture, rand, refuse

fixture("psroi_pool")
refuse("psroi_pool", X=rand(1, 7, 4, 4), ROIs=rand(5, 4), output_channels=2, pooled_height=2, pooled_width=2,
       says="X has 7 channels, but output_channels * pooled_height * pooled_width is 2 * 2 * 2")  # fmt: skip
