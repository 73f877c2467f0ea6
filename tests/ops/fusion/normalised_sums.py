"""Sums with a layer_norm behind them, which 1.8.5 has for GPUs alone: compared with numpy."""

import numpy as np
from tests.ops.cases import case, ints, rand, refuse


def normal(x, scale, bias, first_axis, epsilon=1e-5):
    flat = x.reshape(*x.shape[:first_axis], -1)
    mean, variance = flat.mean(-1, keepdims=True), flat.var(-1, keepdims=True)
    y = (flat - mean) / np.sqrt(variance + epsilon) * scale + bias
    return y.reshape(x.shape), mean.reshape(-1), variance.reshape(-1)


two = {"X": rand(2, 3, 4), "Y": rand(2, 3, 4), "Scale": rand(4), "Bias": rand(4)}
case("skip_layernorm", **two, begin_norm_axis=2, epsilon=1e-3, batch="X Y",
     expect=lambda X, Y, Scale, Bias: normal(X + Y, Scale, Bias, 2, 1e-3)[0])  # fmt: skip

product = {"X": rand(2, 3), "W": rand(3, 4), "Y": rand(2, 4)}
case("fused_fc_elementwise_layernorm", **product, Bias0=rand(4), Scale=rand(4), Bias1=rand(4), batch="X Y",
     activation_type="relu", expect=lambda X, W, Bias0, Y, Scale, Bias1: normal(
         np.maximum(X @ W + Bias0, 0) + Y, Scale, Bias1, 1))  # fmt: skip
case("fused_fc_elementwise_layernorm", **product, batch="X Y", expect=lambda X, W, Y: normal(X @ W + Y, 1, 0, 1))

tables = {"Ids": [ints(2, 3, 1, high=5, seed=1), ints(2, 3, 1, high=4, seed=2)],
          "Embs": [rand(5, 4, seed=3), rand(4, 4, seed=4)], "Bias": rand(4), "Scale": rand(4)}  # fmt: skip
case("fused_embedding_eltwise_layernorm", **tables, batch="Ids", expect=lambda Ids, Embs, Bias, Scale: normal(
    Embs[0][Ids[0][..., 0]] + Embs[1][Ids[1][..., 0]], Scale, Bias, 2)[0])  # fmt: skip
refuse("fused_embedding_eltwise_layernorm", **{**tables, "Ids": tables["Ids"][:1]}, says="got 1 and 2")
