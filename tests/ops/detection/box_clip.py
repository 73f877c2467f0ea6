from tests.ops.cases import fixture

fixture("box_clip")
