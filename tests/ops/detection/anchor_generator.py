from tests.ops.cases import fixture

fixture("anchor_generator")
