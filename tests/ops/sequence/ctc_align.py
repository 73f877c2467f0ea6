from tests.ops.cases import fixture

fixture("ctc_align")
