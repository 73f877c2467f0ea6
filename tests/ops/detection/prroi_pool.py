from tests.ops.cases import fixture

fixture("prroi_pool")
