from tests.ops.cases import fixture

fixture("box_decoder_and_assign")
