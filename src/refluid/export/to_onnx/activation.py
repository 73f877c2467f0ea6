"""Activations."""

from __future__ import annotations

import math

import torch

from refluid.export.mapping import Value, need_test_mode
from refluid.export.to_onnx.graph import Graph, maps

SAME = {  # operators that ONNX has under another name
    "relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh", "softsign": "Softsign", "softplus": "Softplus",
    "log": "Log", "sqrt": "Sqrt", "abs": "Abs", "reciprocal": "Reciprocal", "ceil": "Ceil",
    "floor": "Floor", "sign": "Sign", "sin": "Sin", "cos": "Cos", "tan": "Tan", "sinh": "Sinh",
    "cosh": "Cosh", "asin": "Asin", "acos": "Acos", "atan": "Atan", "erf": "Erf", "logical_not": "Not",
    "assign": "Identity",
}  # fmt: skip


def _same(target: str):
    def mapper(g: Graph, X: Value) -> str:
        return g.node(target, X)

    return mapper


for _type, _target in SAME.items():
    maps(_type)(_same(_target))


@maps("exp")
def exp(g: Graph, X: Value) -> str:
    if X.dtype.is_floating_point:
        return g.node("Exp", X)
    return g.cast(g.node("Exp", g.cast(X, torch.float64)), X.dtype)


@maps("log1p")
def log1p(g: Graph, X: Value) -> str:
    return g.node("Log", g.node("Add", X, g.number(1, X)))


@maps("rsqrt")
def rsqrt(g: Graph, X: Value) -> str:
    return g.node("Reciprocal", g.node("Sqrt", X))


@maps("square")
def square(g: Graph, X: Value) -> str:
    return g.node("Mul", X, X)


@maps("relu6")
def relu6(g: Graph, X: Value, *, threshold: float) -> str:
    return g.clip(X, 0, threshold, X)


@maps("brelu")
def brelu(g: Graph, X: Value, *, t_min: float, t_max: float) -> str:
    return g.clip(X, t_min, t_max, X)


@maps("leaky_relu")
def leaky_relu(g: Graph, X: Value, *, alpha: float) -> str:
    if 0 <= alpha <= 1:
        return g.node("LeakyRelu", X, alpha=alpha)
    return g.node("Max", X, g.node("Mul", X, g.number(alpha, X)))


@maps("elu")
def elu(g: Graph, X: Value, *, alpha: float) -> str:
    return g.node("Elu", X, alpha=alpha)


@maps("selu")
def selu(g: Graph, X: Value, *, scale: float, alpha: float) -> str:
    return g.node("Selu", X, alpha=alpha, gamma=scale)


@maps("thresholded_relu")
def thresholded_relu(g: Graph, X: Value, *, threshold: float) -> str:
    return g.node("ThresholdedRelu", X, alpha=threshold)


@maps("hard_sigmoid")
def hard_sigmoid(g: Graph, X: Value, *, slope: float, offset: float) -> str:
    return g.node("HardSigmoid", X, alpha=slope, beta=offset)


@maps("logsigmoid")
def logsigmoid(g: Graph, X: Value) -> str:
    return g.node("Neg", g.node("Softplus", g.node("Neg", X)))


@maps("stanh")
def stanh(g: Graph, X: Value, *, scale_a: float, scale_b: float) -> str:
    return g.node("Mul", g.node("Tanh", g.node("Mul", X, g.number(scale_a, X))), g.number(scale_b, X))


@maps("tanh_shrink")
def tanh_shrink(g: Graph, X: Value) -> str:
    return g.node("Sub", X, g.node("Tanh", X))


@maps("softshrink")
def softshrink(g: Graph, X: Value, *, lambda_: float) -> str:
    return g.node("Shrink", X, lambd=lambda_, bias=lambda_)


@maps("hard_shrink")
def hard_shrink(g: Graph, X: Value, *, threshold: float) -> str:
    return g.node("Shrink", X, lambd=threshold, bias=0.0)


@maps("soft_relu")
def soft_relu(g: Graph, X: Value, *, threshold: float) -> str:
    return g.node("Softplus", g.clip(X, -threshold, threshold, X))


@maps("swish")
def swish(g: Graph, X: Value, *, beta: float) -> str:
    inner = X if beta == 1 else g.node("Mul", X, g.number(beta, X))
    return g.node("Mul", X, g.node("Sigmoid", inner))


@maps("hard_swish")
def hard_swish(g: Graph, X: Value, *, threshold: float, scale: float, offset: float) -> str:
    gate = g.clip(g.node("Add", X, g.number(offset, X)), 0, threshold, X)
    return g.node("Div", g.node("Mul", X, gate), g.number(scale, X))


@maps("mish")
def mish(g: Graph, X: Value, *, threshold: float) -> str:
    # Fluid: softplus is X itself above the threshold, and exp(X) below its negative.
    below = g.where(g.node("Less", X, g.number(-threshold, X)), g.node("Exp", X), g.node("Softplus", X))
    plus = g.where(g.node("Greater", X, g.number(threshold, X)), X, below)
    return g.node("Mul", X, g.node("Tanh", plus))


@maps("round")
def round(g: Graph, X: Value) -> str:
    # Fluid: halves go away from zero; ONNX takes them to the even number.
    away = g.node("Mul", g.node("Sign", X), g.node("Ceil", g.node("Abs", X)))
    near = g.node("Mul", g.node("Sign", X), g.node("Floor", g.node("Abs", X)))
    part = g.node("Abs", g.node("Sub", X, near))
    return g.where(g.node("GreaterOrEqual", part, g.number(0.5, X)), away, near)


@maps("gelu")
def gelu(g: Graph, X: Value, *, approximate: bool) -> str:
    half = g.node("Mul", X, g.number(0.5, X))
    if approximate:
        cube = g.node("Mul", g.node("Mul", g.node("Mul", X, X), X), g.number(0.044715, X))
        curve = g.node("Tanh", g.node("Mul", g.node("Add", X, cube), g.number(math.sqrt(2 / math.pi), X)))
    else:
        curve = g.node("Erf", g.node("Mul", X, g.number(math.sqrt(0.5), X)))
    return g.node("Mul", half, g.node("Add", curve, g.number(1, X)))


@maps("prelu")
def prelu(g: Graph, X: Value, Alpha: Value, *, mode: str) -> str:
    if mode == "all":
        slope = g.reshape(Alpha, *[1] * X.rank)
    elif mode == "channel":
        slope = g.reshape(Alpha, 1, -1, *[1] * (X.rank - 2))
    else:
        slope = g.node("Reshape", Alpha, g.concat(g.ints(1), g.sizes(X, 1)))
    return g.node("PRelu", X, slope)


@maps("maxout")
def maxout(g: Graph, X: Value, *, groups: int, axis: int) -> str:
    axis %= X.rank
    parts = g.concat(g.sizes(X, 0, axis), g.ints(-1, groups), g.sizes(X, axis + 1))
    return g.reduce("Max", g.node("Reshape", X, parts), [axis + 1], False)


@maps("softmax")
def softmax(g: Graph, X: Value, *, axis: int) -> str:
    return g.node("Softmax", X, axis=axis)


@maps("log_softmax")
def log_softmax(g: Graph, X: Value, *, axis: int) -> str:
    return g.node("LogSoftmax", X, axis=axis)


@maps("dropout")
def dropout(g: Graph, X: Value, *, is_test: bool, dropout_prob: float, dropout_implementation: str) -> str:
    need_test_mode(is_test)
    if dropout_implementation == "upscale_in_train":
        return g.node("Identity", X)
    return g.node("Mul", X, g.number(1 - dropout_prob, X))
