"""Packs the filters of convolutions as oneDNN wants them, and computes what follows a convolution in the same call.

oneDNN reorders the filter on every call otherwise, and an activation, or the addition of a residual, is one more pass
over memory. Its relu and other clipping functions turn NaN into 0, so those stay separate calls, in place: a NaN must
reach the user.
"""

from __future__ import annotations

from functools import partial

import torch

from refluid.core.dtypes import VarType
from refluid.executor.derived import Derived
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value, Values
from refluid.executor.passes.inplace import LastReads
from refluid.executor.passes.packed import ConvPacked, pack
from refluid.ops.math.elementwise import elementwise_add


def pack_convolutions(graph: Graph, device: torch.device) -> None:
    """conv2d -> activation, or conv2d -> elementwise_add, becomes one call."""
    if device.type != "cpu" or not torch.backends.mkldnn.is_available():
        return
    graph.rewrite(lambda node: [_packed(graph, node)] if _can_pack(graph, node) else None)
    _fuse_activations(graph)
    _fuse_additions(graph)


def _is_constant(graph: Graph, value: Value | None) -> bool:
    if value is None or value in graph.derived:
        return True
    return graph.states.get(value.name) is value and not any(value.overwriters())


def _can_pack(graph: Graph, node: Node) -> bool:
    kind, output = node.op.convolution, node.output()
    if kind is None or kind.transposed or kind.axes != 2 or output is None:
        return False
    attrs, image = node.attrs, node.inputs[0][0]
    return (
        all(_is_constant(graph, value) for values in node.inputs[1:] for value in values)
        and attrs.get("data_format", "NCHW") in ("NCHW", "AnyLayout")
        and attrs.get("padding_algorithm", "EXPLICIT") == "EXPLICIT"
        and len(attrs.get("paddings", (0, 0))) == 2
        and image is not None
        and len(image.shape) == 4
        and _is_float(image)
        and _is_float(output)
    )


def _is_float(value: Value) -> bool:
    return value.variable is not None and value.variable.dtype == VarType.FP32


def _packed(graph: Graph, node: Node) -> Node:
    (image,), (filters,), bias = node.inputs
    geometry = {
        key: node.attrs.get(key, attr.default) for key, attr in ConvPacked.attrs.items() if key in node.op.attrs
    }
    # Two convolutions may share a filter and want it packed in two ways.
    packed = Value(f"{_name(node.output())}@filter")
    source = graph.derived.pop(filters, None) if filters is not None else None
    assert image is not None
    sizes = image.shape[2:]
    graph.derived[packed] = Derived(partial(pack, sizes=sizes, **geometry), (source or _name(filters),))
    return Node(ConvPacked, node.operator, [[image], [packed], list(bias), []], node.outputs, geometry)


def _name(value: Value | None) -> str:
    return "" if value is None else value.name


def _fuse_activations(graph: Graph) -> None:
    gone: set[Node] = set()
    for node in graph.nodes:
        if node.op.rules.onednn is None:
            continue
        conv = graph.only_for(node.inputs[0][0])
        act = node.op.rules.onednn(**node.attrs) if conv is not None and _is_plain(conv) else None
        if conv is not None and act is not None:
            conv.give(node.outputs)
            conv.attrs = {**conv.attrs, "act": act[0], "numbers": act[1]}
            gone.add(node)
    graph.set([node for node in graph.nodes if node not in gone])


def _is_plain(node: Node) -> bool:
    return node.op is ConvPacked and "act" not in node.attrs


def _fuse_additions(graph: Graph) -> None:
    """Fuses an addition into the convolution that computes one side, where the other side may be overwritten."""
    uses = LastReads(graph)
    place = {node: i for i, node in enumerate(graph.nodes)}
    written_over: set[Value] = set()
    replaced: dict[Node, list[Node]] = {}

    def can_take(conv: Node | None, other: Value | None, at: int) -> bool:
        if conv is None or not _is_plain(conv) or conv.inputs[3]:
            return False
        image = conv.inputs[0][0]
        # The convolution moves to the place of the addition: its image must still be there.
        return image is not other and image not in written_over and uses.free(other, at)

    for i, node in enumerate(graph.nodes):
        if node.op is not elementwise_add or not _same_shapes(node):
            continue
        (x,), (y,) = node.inputs
        candidates = [(graph.only_for(made), other) for made, other in ((x, y), (y, x))]
        pairs = [(conv, other) for conv, other in candidates if conv is not None and can_take(conv, other, i)]
        if pairs:
            conv, other = max(pairs, key=lambda pair: place[pair[0]])
            assert other is not None
            written_over.add(other)
            replaced[conv] = []
            inputs: list[Values] = [*(list(values) for values in conv.inputs[:3]), [other]]
            fused = Node(conv.op, conv.operator, inputs, node.outputs, conv.attrs)
            fused.over = other
            replaced[node] = [fused]
    if replaced:
        graph.rewrite(replaced.get)


def _same_shapes(add: Node) -> bool:
    (x,), (y,) = add.inputs
    if x is None or y is None or x.variable is None or y.variable is None:
        return False
    return x.shape == y.shape
