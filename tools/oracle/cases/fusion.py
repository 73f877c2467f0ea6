"""Operators that Fluid's inference passes put in place of several."""

from cases.table import case, floats, lod, longs, rand, spread

# The other outputs of recurrences are work spaces of Fluid.
lengths = [3, 1, 2]
x, wide = lod(rand(6, 3), lengths), lod(rand(6, 10), lengths)
lstm = {"X": x, "WeightX": rand(3, 8), "WeightH": rand(2, 8), "Bias": rand(1, 8)}
first = {"H0": rand(3, 2), "C0": rand(3, 2)}
peepholes = dict(lstm, Bias=rand(1, 14))
for use_seq in (True, False):
    for settings in ({}, {"is_reverse": True}, {"gate_activation": "relu", "candidate_activation": "identity"}):
        case("fusion_lstm", lstm, dict(settings, use_seq=use_seq, use_peepholes=False), "Hidden Cell")
    case("fusion_lstm", dict(peepholes, **first), {"use_seq": use_seq, "use_peepholes": True}, "Hidden Cell")
case("fusion_lstm", dict(lstm, X=wide, WeightX=rand(10, 8)), {"use_peepholes": False, "use_seq": False}, "Hidden Cell")

gru = {"X": x, "WeightX": rand(3, 6), "WeightH": rand(2, 6)}
for use_seq in (True, False):
    for settings in ({}, {"is_reverse": True}, {"origin_mode": True, "activation": "relu"}):
        case("fusion_gru", dict(gru, Bias=rand(1, 6)), dict(settings, use_seq=use_seq), "Hidden")
    case("fusion_gru", dict(gru, H0=rand(3, 2)), {"use_seq": use_seq}, "Hidden")

ids = lod(longs([4], [0], [1], [3], [2], [4]), lengths)
embedded = {"Ids": ids, "Embeddings": rand(5, 8), "WeightH": rand(2, 8), "Bias": rand(1, 8)}
for use_seq in (True, False):
    for settings in ({}, {"is_reverse": True}):
        given = dict(settings, use_seq=use_seq, use_peepholes=False)
        case("fused_embedding_fc_lstm", embedded, given, "Hidden Cell")
        case("fused_embedding_fc_lstm", dict(embedded, **first), given, "Hidden Cell")
    given = {"use_seq": use_seq, "use_peepholes": True}
    case("fused_embedding_fc_lstm", dict(embedded, Bias=rand(1, 14)), given, "Hidden Cell")

attention = {
    "X": x,
    "C0": rand(3, 2),
    "AttentionWeight": rand(5, 1),
    "LSTMWeight": rand(5, 8),
    "LSTMBias": rand(1, 8),
}
scalars = {"AttentionBias": rand(1, 1), "AttentionScalar": floats(0.7).reshape(1, 1), "H0": rand(3, 2)}
case("attention_lstm", attention, {}, "Hidden Cell")
case("attention_lstm", dict(attention, **scalars), {}, "Hidden Cell")
scalars["AttentionScalarBias"] = floats(0.3).reshape(1, 1)
settings = {"gate_activation": "relu", "cell_activation": "sigmoid", "candidate_activation": "identity"}
case("attention_lstm", dict(attention, **scalars), settings, "Hidden Cell")

expanded = {"X": [x, lod(rand(3, 2), [1, 1, 1]), lod(rand(3, 1), [1, 1, 1])], "FCWeight": rand(6, 4)}
case("fusion_seqexpand_concat_fc", expanded, {"fc_activation": "relu"})
case("fusion_seqexpand_concat_fc", dict(expanded, FCBias=rand(4)), {"fc_activation": "tanh"})
case("fusion_seqexpand_concat_fc", dict(expanded, FCBias=rand(1, 4)))

pooled = {"X": [x, lod(rand(4, 3), [1, 2, 1])]}
for pooltype in ("SUM", "AVERAGE", "SQRT"):
    case("fusion_seqpool_concat", pooled, {"pooltype": pooltype, "axis": 1})
    counts = {"X": [lod(rand(6, 3, low=0.0), lengths), lod(rand(4, 3, low=0.0), [1, 2, 1])], "CVM": rand(3, 2)}
    case("fusion_seqpool_cvm_concat", counts, {"pooltype": pooltype, "use_cvm": True, "axis": 1})

for start, length in ((0, 2), (-1, 3), (-2, 4)):
    window = {"X": x, "Filter": rand(3 * length, 4), "Bias": rand(1, 4)}
    settings = {"contextStart": start, "contextLength": length, "contextStride": 1}
    case("fusion_seqconv_eltadd_relu", window, settings, "Out ColMat")

squares = {"X": rand(2, 3), "Y": rand(3, 4)}
case("fusion_squared_mat_sub", squares, {"scalar": 0.5}, "Out SquaredX SquaredY SquaredXY")
case("fusion_squared_mat_sub", squares, {}, "Out")

layers = {"X": rand(2, 3), "W": [rand(3, 4), rand(4, 5), rand(5, 2)], "Bias": [rand(4), rand(1, 5), rand(2)]}
case("fusion_repeated_fc_relu", layers, {}, "Out ReluOut*2")

case("spp", {"X": spread(2, 3, 5, 7)}, {"pyramid_height": 3, "pooling_type": "max"}, "Out", "X")
