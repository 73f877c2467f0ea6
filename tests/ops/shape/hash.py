from tests.ops.cases import fixture

fixture("hash")
