from tests.ops.cases import fixture

fixture("gather_tree")
