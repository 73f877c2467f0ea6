from tests.ops.cases import fixture

fixture("mine_hard_examples")
