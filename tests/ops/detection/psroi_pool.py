from tests.ops.cases import fixture

fixture("psroi_pool")
