"""Rows of inplace_abn."""

import numpy as np
from tests.ops.cases import case, rand, refuse

four = {
    "Scale": rand(3, low=0.5, high=1.5),
    "Bias": rand(3),
    "Mean": rand(3),
    "Variance": rand(3, low=0.5, high=1.5),
}


def normal(X, Scale, Bias):
    axes = (0, 2, 3)
    x = (X - X.mean(axes, keepdims=True)) / np.sqrt(X.var(axes, keepdims=True) + 1e-5)
    return x * Scale.reshape(-1, 1, 1) + Bias.reshape(-1, 1, 1)


def leaky(X, Scale, Bias, alpha):
    y = normal(X, Scale, Bias)
    return {"Y": np.where(y < 0, alpha * y, y)}


def elu(X, Scale, Bias, alpha):
    y = normal(X, Scale, Bias)
    return {"Y": np.where(y < 0, alpha * np.expm1(y), y)}


x = rand(2, 3, 4, 2)
case("inplace_abn", X=x, **four, batch="X", expect=lambda X, Scale, Bias: {"Y": normal(X, Scale, Bias)})
case("inplace_abn", X=x, **four, activation="identity", batch="X")
case("inplace_abn", X=x, **four, activation="leaky_relu", alpha=0.2, batch="X", expect=leaky)
case("inplace_abn", X=x, **four, activation="elu", alpha=0.7, batch="X", expect=elu)
case("inplace_abn", X=rand(2, 4, 2, 3), **four, data_layout="NHWC", activation="elu", alpha=1.0, batch="X")
case("inplace_abn", X=x, **four, use_global_stats=True, activation="leaky_relu", alpha=0.1, batch="X")
refuse("inplace_abn", X=x, **four, activation="relu", says="activation must be identity, leaky_relu or elu, got 'relu'")
