"""Recurrent cells and structured prediction."""

import numpy as np

from cases.table import case, floats, lod, longs, rand

cell = {"Input": rand(3, 6), "HiddenPrev": rand(3, 2), "Weight": rand(2, 6)}
for origin in (False, True):
    case(
        "gru_unit",
        dict(cell, Bias=rand(1, 6)),
        {"origin_mode": origin},
        "Hidden Gate ResetHiddenPrev",
        "Input HiddenPrev Weight Bias",
    )
case(
    "gru_unit", cell, {"activation": 3, "gate_activation": 1}, "Hidden Gate ResetHiddenPrev", "Input HiddenPrev Weight"
)
case("lstm_unit", {"X": rand(3, 8), "C_prev": rand(3, 2)}, {"forget_bias": 0.5}, "C H", "X C_prev", "C H")

steps = lod(rand(5, 6), [3, 2])
gru = {"Input": steps, "Weight": rand(2, 6), "Bias": rand(1, 6)}
gru_outs = "Hidden"  # the others carry LoDs that are notes of Fluid to itself
for settings in ({}, {"is_reverse": True}, {"origin_mode": True, "activation": "relu"}):
    case("gru", gru, settings, gru_outs, "Input Weight Bias")
case("gru", dict(gru, H0=rand(2, 2)), {}, gru_outs, "Input H0 Weight Bias")
lstm = {"Input": lod(rand(5, 8), [3, 2]), "Weight": rand(2, 8)}
lstm_outs = "Hidden Cell"  # gradients go through Hidden alone: Fluid ignores that of Cell
case("lstm", dict(lstm, Bias=rand(1, 14)), {"use_peepholes": True}, lstm_outs, "Input Weight Bias")
plain = dict(lstm, Bias=rand(1, 8))
for settings in ({}, {"is_reverse": True}, {"gate_activation": "relu", "candidate_activation": "identity"}):
    case("lstm", plain, dict(settings, use_peepholes=False), lstm_outs, "Input Weight Bias")
start = dict(plain, H0=rand(2, 2), C0=rand(2, 2))
case("lstm", start, {"use_peepholes": False}, lstm_outs, "Input Weight Bias H0 C0")

emission = lod(rand(5, 3), [3, 2])
tags = lod(longs([0], [2], [1], [1], [0]), [3, 2])
crf = {"Emission": emission, "Transition": rand(5, 3)}
case("linear_chain_crf", dict(crf, Label=tags), {}, "LogLikelihood", "Emission Transition")
case("crf_decoding", crf, {}, "ViterbiPath")
case("crf_decoding", dict(crf, Label=tags), {}, "ViterbiPath")
ctc = {"Logits": lod(rand(7, 4), [4, 3]), "Label": lod(np.array([[1], [2], [3]], "int32"), [2, 1])}
case("warpctc", ctc, {"blank": 0}, "Loss", "Logits")
case("warpctc", ctc, {"blank": 0, "norm_by_times": True}, "Loss", "Logits")
path = lod(np.array([[0], [1], [1], [0], [2], [2], [3]], "int32"), [5, 2])
case("ctc_align", {"Input": path}, {"blank": 0, "merge_repeated": True}, "Output")
case("ctc_align", {"Input": path}, {"blank": 0, "merge_repeated": False}, "Output")
beams = {"Ids": longs([[2, 2], [6, 1]], [[3, 9], [6, 1]], [[0, 1], [9, 0]])}
beams["Parents"] = longs([[0, 0], [1, 1]], [[1, 0], [1, 0]], [[0, 0], [0, 1]])
case("gather_tree", beams)
case(
    "bilinear_tensor_product",
    {"X": rand(3, 2), "Y": rand(3, 4), "Weight": rand(5, 2, 4), "Bias": rand(1, 5)},
    grad="X Y Weight Bias",
)
case("add_position_encoding", {"X": rand(2, 3, 4)}, {"alpha": 0.7, "beta": 0.3}, grad="X")
case("add_position_encoding", {"X": lod(rand(5, 4), [3, 2])}, {"alpha": 1.0, "beta": 1.0}, grad="X")
case("conv_shift", {"X": rand(2, 5), "Y": rand(2, 3)}, grad="X Y")
case("row_conv", {"X": lod(rand(5, 2), [3, 2]), "Filter": rand(3, 2)}, grad="X Filter")
case("row_conv", {"X": rand(2, 4, 2), "Filter": rand(3, 2)}, grad="X Filter")
case("scale", {"X": rand(2, 3), "ScaleTensor": floats(3.0)}, {"bias": 0.5, "bias_after_scale": False})
