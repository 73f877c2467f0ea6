from tests.ops.cases import fixture

fixture("fusion_seqpool_cvm_concat")
