"""Normalisations."""

from __future__ import annotations

import torch

from refluid.export.mapping import Unsupported, Value, need_even_groups, need_test_mode
from refluid.export.to_onnx.conv import channels_first
from refluid.export.to_onnx.graph import Graph, maps


@maps("batch_norm", "sync_batch_norm")
def batch_norm(
    g: Graph,
    X: Value,
    Scale: Value,
    Bias: Value,
    Mean: Value,
    Variance: Value,
    *,
    is_test: bool,
    epsilon: float,
    data_layout: str,
    use_global_stats: bool,
    trainable_statistics: bool,
) -> str:
    need_test_mode(use_global_stats or (is_test and not trainable_statistics))
    return channels_first(
        g, X, data_layout, lambda x: g.node("BatchNormalization", x, Scale, Bias, Mean, Variance, epsilon=epsilon)
    )


@maps("layer_norm")
def layer_norm(
    g: Graph, X: Value, Scale: Value | None, Bias: Value | None, *, epsilon: float, begin_norm_axis: int
) -> str:  # fmt: skip
    features = X.shape[begin_norm_axis:]
    if -1 in features:
        raise Unsupported(f"the axes that are normalised must have fixed sizes, but X is {list(X.shape)}")
    scale = g.full(g.ints(*features), 1, X.dtype) if Scale is None else g.reshape(Scale, *features)
    bias = None if Bias is None else g.reshape(Bias, *features)
    return g.node("LayerNormalization", X, scale, bias, axis=begin_norm_axis, epsilon=epsilon)


@maps("instance_norm")
def instance_norm(g: Graph, X: Value, Scale: Value, Bias: Value, *, epsilon: float) -> str:
    return g.node("InstanceNormalization", X, Scale, Bias, epsilon=epsilon)


@maps("group_norm")
def group_norm(
    g: Graph, X: Value, Scale: Value | None, Bias: Value | None, *, groups: int, epsilon: float, data_layout: str
) -> str:  # fmt: skip
    need_even_groups(X.shape[-1 if data_layout == "NHWC" else 1], groups)

    def compute(x: Value) -> str:
        ones, zeros = g.constant([1] * groups, X.dtype), g.constant([0] * groups, X.dtype)
        parts = g.node("InstanceNormalization", g.reshape(x, 0, groups, -1), ones, zeros, epsilon=epsilon)
        out = g.node("Reshape", parts, g.sizes(x))
        for step, per_channel in (("Mul", Scale), ("Add", Bias)):
            if per_channel is not None:
                out = g.node(step, out, g.reshape(per_channel, 1, -1, *[1] * (x.rank - 2)))
        return out

    return channels_first(g, X, data_layout, compute)


@maps("affine_channel")
def affine_channel(g: Graph, X: Value, Scale: Value, Bias: Value, *, data_layout: str) -> str:
    def compute(x: Value) -> str:
        scale, bias = (g.reshape(t, 1, -1, *[1] * (x.rank - 2)) for t in (Scale, Bias))
        return g.node("Add", g.node("Mul", x, scale), bias)

    return channels_first(g, X, data_layout, compute)


@maps("lrn")
def lrn(g: Graph, X: Value, *, n: int, k: float, alpha: float, beta: float, data_format: str) -> str:
    # ONNX divides alpha by the number of channels.
    return channels_first(g, X, data_format, lambda x: g.node("LRN", x, size=n, bias=k, alpha=alpha * n, beta=beta))


@maps("label_smooth")
def label_smooth(g: Graph, X: Value, PriorDist: Value | None, *, epsilon: float) -> str:
    kept = g.node("Mul", X, g.number(1 - epsilon, X))
    if PriorDist is not None:
        return g.node("Add", kept, g.node("Mul", g.reshape(PriorDist, -1), g.number(epsilon, X)))
    classes = g.cast(g.sizes(X, X.rank - 1), torch.float32)
    return g.node("Add", kept, g.node("Div", g.number(epsilon, X), g.cast(classes, X.dtype)))
