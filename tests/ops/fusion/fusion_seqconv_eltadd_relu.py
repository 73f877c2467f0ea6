from tests.ops.cases import fixture

fixture("fusion_seqconv_eltadd_relu")
