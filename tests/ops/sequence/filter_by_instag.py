from tests.ops.cases import fixture

fixture("filter_by_instag")
