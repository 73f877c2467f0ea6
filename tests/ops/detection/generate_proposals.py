from tests.ops.cases import fixture

fixture("generate_proposals")
