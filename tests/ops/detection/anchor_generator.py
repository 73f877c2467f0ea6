from tests.ops.cases import fixture, rand, refuse

fixture("anchor_generator")
refuse("anchor_generator", Input=rand(1, 2, 3, 3), anchor_sizes=[8.0], aspect_ratios=[1.0], stride=[8.0],
       says="stride must be 2 positive numbers, got [8.0]")  # fmt: skip
