from tests.ops.cases import fixture

fixture("fusion_seqexpand_concat_fc")
