from tests.ops.cases import fixture

fixture("distribute_fpn_proposals")
