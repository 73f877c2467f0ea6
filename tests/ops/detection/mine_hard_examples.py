from tests.ops.cases import fixture, ints, rand, refuse

fixture("mine_hard_examples")
refuse("mine_hard_examples", ClsLoss=rand(2, 3), MatchIndices=ints(2, 3), MatchDist=rand(2, 3), mining_type="easy",
       says="mining_type must be max_negative or hard_example, got 'easy'")  # fmt: skip
