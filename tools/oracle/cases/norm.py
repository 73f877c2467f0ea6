"""Normalisations: what they return besides the result, and what they keep for later."""

import numpy as np

from cases.table import case, floats, rand

image, scale, bias = rand(2, 4, 3, 3), rand(4, low=0.5, high=1.5), rand(4)
running = {"Mean": rand(4), "Variance": rand(4, low=0.5, high=1.5)}
alias = {"MeanOut": "Mean", "VarianceOut": "Variance"}
outs = "Y MeanOut VarianceOut SavedMean SavedVariance"
full = dict(running, X=image, Scale=scale, Bias=bias)
case("batch_norm", full, {"momentum": 0.9, "epsilon": 1e-5}, outs, "X Scale Bias", alias=alias)
case("batch_norm", full, {"momentum": 0.8, "epsilon": 1e-3, "is_test": True}, "Y MeanOut VarianceOut", alias=alias)
case("batch_norm", full, {"epsilon": 1e-3, "use_global_stats": True}, "Y MeanOut VarianceOut", alias=alias)
last = dict(full, X=np.transpose(image, [0, 2, 3, 1]).copy())
case("batch_norm", last, {"data_layout": "NHWC"}, outs, "X Scale Bias", alias=alias)
case("batch_norm", dict(full, X=rand(5, 4)), {"momentum": 0.7}, outs, "X Scale Bias", alias=alias)

case(
    "layer_norm",
    {"X": rand(2, 3, 4), "Scale": rand(12), "Bias": rand(12)},
    {"begin_norm_axis": 1, "epsilon": 1e-5},
    "Y Mean Variance",
    "X Scale Bias",
)
case("layer_norm", {"X": rand(2, 3, 4)}, {"begin_norm_axis": 2}, "Y Mean Variance", "X")
case(
    "layer_norm",
    {"X": rand(2, 3, 4), "Bias": rand(4)},
    {"begin_norm_axis": 2, "epsilon": 1e-3},
    "Y Mean Variance",
    "X Bias",
)
case(
    "group_norm",
    {"X": image, "Scale": scale, "Bias": bias},
    {"groups": 2, "epsilon": 1e-3},
    "Y Mean Variance",
    "X Scale Bias",
)
case("group_norm", {"X": image}, {"groups": 4}, "Y Mean Variance", "X")
case(
    "group_norm",
    {"X": last["X"], "Scale": scale, "Bias": bias},
    {"groups": 2, "data_layout": "NHWC"},
    "Y Mean Variance",
    "X",
)
case(
    "instance_norm",
    {"X": image, "Scale": scale, "Bias": bias},
    {"epsilon": 1e-3},
    "Y SavedMean SavedVariance",
    "X Scale Bias",
)
sums = {"BatchSize": floats(4, 4, 4), "BatchSum": rand(3, low=-4, high=4), "BatchSquareSum": rand(3, low=4, high=8)}
case("data_norm", dict(sums, X=rand(4, 3)), {"epsilon": 1e-4}, "Y Means Scales", "X BatchSize BatchSum BatchSquareSum")
case(
    "data_norm",
    dict(sums, X=rand(4, 3), scale_w=rand(3), bias=rand(3)),
    {"enable_scale_and_shift": True},
    "Y Means Scales",
)
case("lrn", {"X": rand(1, 6, 2, 2)}, {"n": 5, "k": 1.0, "alpha": 0.1, "beta": 0.75}, "Out MidOut", "X")
case("lrn", {"X": rand(1, 6, 2, 2)}, {}, "Out MidOut", "X")
for dim, weight in ((0, rand(4, 3)), (1, rand(2, 3, 2, 2))):
    height = weight.shape[dim]
    vectors = {"Weight": weight, "U": rand(height), "V": rand(weight.size // height)}
    case("spectral_norm", vectors, {"dim": dim, "power_iters": 2, "eps": 1e-8}, "Out", "Weight")
case("norm", {"X": rand(2, 3, 4)}, {"axis": 1, "epsilon": 1e-6}, "Out Norm", "X")
case("norm", {"X": rand(2, 3, 4)}, {"axis": -1}, "Out Norm", "X")
for order in (1.0, 2.0, 3.0):
    case("p_norm", {"X": rand(2, 3, 4)}, {"porder": order, "axis": 1, "keepdim": False}, grad="X")
case("frobenius_norm", {"X": rand(2, 3, 4)}, {"dim": [1, 2], "keep_dim": True}, grad="X")
case("squared_l2_norm", {"X": rand(2, 3)}, grad="X")
case("l1_norm", {"X": rand(2, 3)}, grad="X")
for order in (0.0, 1.0, 2.0, 3.5, float("inf")):
    case("dist", {"X": rand(2, 3), "Y": rand(2, 3)}, {"p": order}, grad="X Y")
case("affine_channel", {"X": image, "Scale": scale, "Bias": bias}, {"data_layout": "NCHW"}, grad="X Scale Bias")
case("cvm", {"X": rand(3, 5, low=0, high=3), "CVM": rand(3, 2, low=0, high=3)}, {"use_cvm": True}, "Y", "X")
case("cvm", {"X": rand(3, 5, low=0, high=3), "CVM": rand(3, 2, low=0, high=3)}, {"use_cvm": False}, "Y", "X")
