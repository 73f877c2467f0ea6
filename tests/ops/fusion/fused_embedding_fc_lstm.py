from tests.ops.cases import fixture

fixture("fused_embedding_fc_lstm")
