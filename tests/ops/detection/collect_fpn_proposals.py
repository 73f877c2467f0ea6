from tests.ops.cases import fixture

fixture("collect_fpn_proposals")
