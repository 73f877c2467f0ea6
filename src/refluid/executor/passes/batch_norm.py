"""Folds a batch normalisation with given statistics into the convolution before it."""

from __future__ import annotations

from functools import partial

import torch

from refluid.core.layout import as_channels_last
from refluid.executor.derived import Derived
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph, replace
from refluid.executor.graph.value import Value, Values
from refluid.ops.nn.geometry import is_channels_last


def fold_batch_norms(graph: Graph) -> None:
    """conv2d -> batch_norm becomes conv2d with another Filter and Bias, which are derived from parameters."""
    _share_statistics(graph)
    replaced: dict[Node, list[Node]] = {}
    for node in graph.nodes:
        if (
            not _uses_given_statistics(node) or not node.outputs[0] or any(node.outputs[3:])
        ):  # nobody may read the result
            continue
        conv = graph.only_for(node.inputs[0][0])
        if (
            conv is None
            or conv.op.convolution is None
            or conv.op.convolution.transposed
            or not _same_layout(conv, node)
        ):
            continue
        if all(_is_constant(values, graph) for values in (*conv.inputs[1:], *node.inputs[1:5])):
            replaced[node] = [_folded(graph, conv, node)]
            replaced[conv] = []
    if replaced:
        graph.rewrite(replaced.get)


def _share_statistics(graph: Graph) -> None:
    """A normalisation with given statistics leaves them as they are: what reads them after it reads them before it."""
    for node in graph.nodes:
        if _uses_given_statistics(node):
            for values in node.outputs:
                for value in values:
                    if value is not None and value.base is not None:
                        replace(graph, value, value.base)
            node.give([[v for v in values if v is None or v.base is None] for values in node.outputs])


def _uses_given_statistics(node: Node) -> bool:
    """Whether it is a normalisation with the mean and the variance of the scope."""
    attrs = node.attrs
    return bool(node.op.statistics) and bool(
        attrs.get("use_global_stats") or (attrs.get("is_test") and not attrs.get("trainable_statistics"))
    )


def _is_constant(values: Values, graph: Graph) -> bool:
    """Whether they are persistables that nobody writes; a normalisation with given statistics leaves them alone."""
    return all(
        value is not None and graph.states.get(value.name) is value
        and all(map(_uses_given_statistics, value.overwriters()))
        for value in values
    )  # fmt: skip


def _same_layout(conv: Node, norm: Node) -> bool:
    return is_channels_last(conv.attrs.get("data_format", "NCHW")) == is_channels_last(
        norm.attrs.get("data_layout", "NCHW")
    )


def _folded(graph: Graph, conv: Node, norm: Node) -> Node:
    (image,), (filters,), bias = conv.inputs
    scale, shift, mean, variance = (_name(values[0]) for values in norm.inputs[1:5])
    epsilon = norm.attrs.get("epsilon", 1e-5)
    output = norm.output()
    new_filter, new_bias = Value(f"{_name(output)}@filter"), Value(f"{_name(output)}@bias")
    graph.derived[new_filter] = Derived(partial(_fold_filter, epsilon=epsilon), (_name(filters), scale, variance))
    graph.derived[new_bias] = Derived(
        partial(_fold_bias, epsilon=epsilon), (shift, scale, mean, variance, *(_name(one) for one in bias if one))
    )
    return Node(conv.op, conv.operator, [[image], [new_filter], [new_bias]], [[output]], conv.attrs)


def _name(value: Value | None) -> str:
    return "" if value is None else value.name


def _fold_filter(filters: torch.Tensor, scale: torch.Tensor, variance: torch.Tensor, *, epsilon: float) -> torch.Tensor:
    factor = scale * torch.rsqrt(variance + epsilon)
    folded = filters * factor.to(filters.dtype).reshape(-1, *[1] * (filters.dim() - 1))
    return as_channels_last(folded) if folded.dim() == 4 else folded


def _fold_bias(
    shift: torch.Tensor,
    scale: torch.Tensor,
    mean: torch.Tensor,
    variance: torch.Tensor,
    bias: torch.Tensor | None = None,
    *,
    epsilon: float,
) -> torch.Tensor:
    offset = mean if bias is None else mean - bias
    return shift - offset * scale * torch.rsqrt(variance + epsilon)
