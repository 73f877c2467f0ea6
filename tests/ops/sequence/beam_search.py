from tests.ops.cases import fixture

fixture("beam_search")
