from tests.ops.cases import fixture, rand, refuse

fixture("deformable_psroi_pooling")
refuse("deformable_psroi_pooling", Input=rand(1, 7, 4, 4), ROIs=rand(5, 4), Trans=rand(5, 2, 1, 1), output_dim=2,
       group_size=[2, 2], part_size=[1, 1],
       says="Input has 7 channels, but output_dim * groups is 2 * 2 * 2")  # fmt: skip
