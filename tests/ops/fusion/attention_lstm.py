from tests.ops.cases import fixture, ragged, rand, refuse

fixture("attention_lstm")
refuse("attention_lstm", X=ragged([[2]], 3), C0=rand(1, 2), AttentionWeight=rand(4, 1), LSTMWeight=rand(5, 8),
       LSTMBias=rand(1, 8), says="AttentionWeight [5, 1], got [5, 8] and [4, 1]")  # fmt: skip
