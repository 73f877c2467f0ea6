"""fused_batch_norm_act, which 1.8.5 has for GPUs alone: compared with numpy."""

import numpy as np
from tests.ops.cases import case, rand, refuse

four = {"Scale": rand(3, low=0.5, high=1.5), "Bias": rand(3), "Mean": rand(3), "Variance": rand(3, low=0.5, high=1.5)}


def rectified(X, Scale, Bias, Mean, Variance):
    mean, variance = X.mean((0, 1, 2)), X.var((0, 1, 2))
    y = (X - mean) / np.sqrt(variance + 1e-5) * Scale + Bias
    return {"Y": np.maximum(y, 0), "MeanOut": 0.9 * Mean + 0.1 * mean, "VarianceOut": 0.9 * Variance + 0.1 * variance}


case("fused_batch_norm_act", X=rand(2, 4, 2, 3), **four, expect=rectified, batch="X")
refuse("fused_batch_norm_act", X=rand(2, 4, 2, 3), **four, act_type="tanh", says="act_type must be 'relu', got 'tanh'")
