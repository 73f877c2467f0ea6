from tests.ops.cases import case, fixture, rand, refuse

fixture("prior_box")
case("prior_box", Input=rand(2, 1, 2, 2), Image=rand(2, 3, 4, 4), min_sizes=[1.0], clip=False,
     check=lambda Boxes: Boxes[1, 0, 0].tolist() == [0.125, 0.625, 0.375, 0.875])  # fmt: skip
refuse("prior_box", Input=rand(2, 3), Image=rand(1, 3, 4, 4), min_sizes=[1.0],
       says="Input and Image must be [N, C, H, W], got shapes [2, 3] and [1, 3, 4, 4]")  # fmt: skip
refuse("prior_box", Input=rand(1, 1, 2, 2), Image=rand(1, 3, 4, 4), min_sizes=[2.0], max_sizes=[1.0],
       says="max_sizes must be one above each of min_sizes, got [2.0] and [1.0]")  # fmt: skip
refuse("prior_box", Input=rand(1, 1, 2, 2), Image=rand(1, 3, 4, 4), min_sizes=[],
       says="min_sizes must be positive numbers, got []")  # fmt: skip
