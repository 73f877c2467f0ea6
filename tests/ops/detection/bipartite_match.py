from tests.ops.cases import fixture

fixture("bipartite_match")
