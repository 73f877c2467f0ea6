"""Reads a convolutional network off the graph of a plan that trains nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from refluid.core.dtypes import VarType
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value
from refluid.executor.network.layers import Description, Layer, Source
from refluid.executor.passes.bias import MulBias
from refluid.ops import registry
from refluid.ops.registry import OpDef


class _Unknown(Exception):
    """The graph holds what no layer computes."""


def describe(graph: Graph) -> Description | None:
    """The network that a graph is; None if it is none, or holds an operator that is no layer."""
    try:
        network = _Reader(graph).read()
    except _Unknown:
        return None
    if not any(layer.kind == "convolution" for layer in network.layers):
        return None
    network.layers = _fuse_rectifiers(_fuse_additions(network.layers, network.outputs), network.outputs)
    return network


class _Reader:
    def __init__(self, graph: Graph):
        self.graph = graph
        self.result = Description()
        self.numbers: dict[Value, int] = {}
        self.places: dict[Source, int] = {}  # of parameters

    def read(self) -> Description:
        for value in self.graph.feeds.values():
            if value.persistable or value.variable is None or value.variable.dtype != VarType.FP32:
                raise _Unknown
            self.result.inputs.append(self.number(value))
        for node in self.graph.nodes:
            read = _READERS.get(node.op)
            output = node.output()
            if read is None or node.kernel is not None or node.body is not None or output is None or output.persistable:
                raise _Unknown
            if output.variable is None or output.variable.dtype != VarType.FP32:
                raise _Unknown
            layer = read(self, node)
            if layer is not None:
                self.result.layers.append(layer)
        computed = {layer.output for layer in self.result.layers}
        self.result.outputs = [self.known(value) for value in self.graph.fetches]
        if not self.result.outputs or not computed.issuperset(self.result.outputs):
            raise _Unknown
        return self.result

    def number(self, value: Value | None) -> int:
        if value is None:
            raise _Unknown
        return self.numbers.setdefault(value, len(self.numbers))

    def known(self, value: Value | None) -> int:
        if value is None or value not in self.numbers:
            raise _Unknown
        return self.numbers[value]

    def parameter(self, value: Value | None) -> int | None:
        """The index of a parameter, or of what is made from parameters."""
        if value is None:
            return None
        if value in self.graph.derived:
            source: Source = self.graph.derived[value]
        elif self.graph.states.get(value.name) is value and not any(value.overwriters()):
            source = value.name
        else:
            raise _Unknown
        if source not in self.places:
            self.places[source] = len(self.result.parameters)
            self.result.parameters.append(source)
        return self.places[source]

    # -- operators ------------------------------------------------------------------------------------------------

    def convolution(self, node: Node) -> Layer:
        attrs = node.attrs
        (image,), (filters,), bias = node.inputs
        pads, dilations = tuple(attrs.get("paddings", (0, 0))), tuple(attrs.get("dilations", (1, 1)))
        if (
            attrs.get("groups", 1) != 1
            or attrs.get("data_format", "NCHW") not in ("NCHW", "AnyLayout")
            or attrs.get("padding_algorithm", "EXPLICIT") != "EXPLICIT"
            or len(pads) != 2
            or min(pads) < 0
            or min(dilations) < 1
        ):
            raise _Unknown
        return Layer(
            "convolution", (self.known(image),), self.number(node.output()), self.parameter(filters),
            self.parameter(bias[0] if bias else None), strides=tuple(attrs.get("strides", (1, 1))), paddings=pads,
            dilations=dilations,
        )  # fmt: skip

    def product(self, node: Node) -> Layer:
        x, y = node.inputs[0][0], node.inputs[1][0]
        columns = node.attrs.get("x_num_col_dims", 1)
        if node.attrs.get("y_num_col_dims", 1) != 1 or not (columns == 1 or (columns == -1 and _rank(x) == 2)):
            raise _Unknown
        bias = node.inputs[2][0] if len(node.inputs) > 2 and node.inputs[2] else None
        return Layer("product", (self.known(x),), self.number(node.output()), self.parameter(y), self.parameter(bias))

    def pooling(self, node: Node) -> Layer:
        attrs = node.attrs
        pads = tuple(attrs.get("paddings", (0, 0)))
        everything = bool(attrs.get("global_pooling", False))
        ksize = tuple(attrs.get("ksize", ()))
        if (
            attrs.get("adaptive", False)
            or attrs.get("ceil_mode", False)
            or attrs.get("data_format", "NCHW") not in ("NCHW", "AnyLayout")
            or attrs.get("padding_algorithm", "EXPLICIT") != "EXPLICIT"
            or (not everything and (len(pads) != 2 or len(ksize) != 2 or min(pads) < 0))
            or any(output for outputs in node.outputs[1:] for output in outputs)
        ):
            raise _Unknown
        return Layer(
            "pooling", (self.known(node.inputs[0][0]),), self.number(node.output()),
            strides=tuple(attrs.get("strides", (1, 1))), paddings=pads, ksize=ksize,
            average=attrs.get("pooling_type") == "avg", exclusive=bool(attrs.get("exclusive", True)),
            everything=everything,
        )  # fmt: skip

    def addition(self, node: Node) -> Layer:
        (x,), (y,) = node.inputs
        if x is None or y is None or x.shape != y.shape or node.attrs.get("axis", -1) not in (-1, 0):
            raise _Unknown
        return Layer("addition", (self.known(x), self.known(y)), self.number(node.output()))

    def rectifier(self, node: Node) -> Layer:
        return Layer("rectifier", (self.known(node.inputs[0][0]),), self.number(node.output()), rectify=True)

    def softmax(self, node: Node) -> Layer:
        x = node.inputs[0][0]
        if node.attrs.get("axis", -1) not in (-1, 1) or _rank(x) != 2:
            raise _Unknown
        return Layer("softmax", (self.known(x),), self.number(node.output()))

    def dropout(self, node: Node) -> None:
        """In tests, what was scaled while training passes."""
        attrs = node.attrs
        if (
            not attrs.get("is_test")
            or attrs.get("dropout_implementation") != "upscale_in_train"
            or any(output for outputs in node.outputs[1:] for output in outputs)
        ):
            raise _Unknown
        self.same(node)

    def scale(self, node: Node) -> None:
        """By 1: saved models have one behind every result."""
        attrs = node.attrs
        if attrs.get("scale", 1.0) != 1.0 or attrs.get("bias", 0.0) != 0.0 or any(node.inputs[1]):
            raise _Unknown
        self.same(node)

    def same(self, node: Node) -> None:
        output = node.output()
        assert output is not None
        self.numbers[output] = self.known(node.inputs[0][0])


_READERS: dict[OpDef, Callable[[_Reader, Node], Layer | None]] = {
    registry.get("conv2d"): _Reader.convolution,
    registry.get("mul"): _Reader.product,
    MulBias: _Reader.product,
    registry.get("pool2d"): _Reader.pooling,
    registry.get("elementwise_add"): _Reader.addition,
    registry.get("relu"): _Reader.rectifier,
    registry.get("softmax"): _Reader.softmax,
    registry.get("dropout"): _Reader.dropout,
    registry.get("scale"): _Reader.scale,
}


def _rank(value: Value | None) -> int:
    return 0 if value is None else len(value.shape)


# -- one pass over memory for what follows a layer ------------------------------------------------------------------


def _uses(layers: list[Layer], outputs: list[int]) -> dict[int, int]:
    """How often each value is read."""
    uses: dict[int, int] = {}
    for value in [value for layer in layers for value in layer.reads()] + outputs:
        uses[value] = uses.get(value, 0) + 1
    return uses


def _fuse_additions(layers: list[Layer], outputs: list[int]) -> list[Layer]:
    """Let the later of the two convolutions before an addition add the other value."""
    uses = _uses(layers, outputs)
    place = {layer.output: i for i, layer in enumerate(layers)}
    result: list[Layer | None] = list(layers)
    for i, layer in enumerate(layers):
        if layer.kind != "addition":
            continue
        first, last = sorted(layer.inputs, key=lambda value: place.get(value, -1))
        maker = result[place[last]] if last in place and first != last else None
        if maker is not None and maker.kind == "convolution" and maker.residual is None and uses[last] == 1:
            result[place[last]] = None
            result[i] = replace(maker, output=layer.output, residual=first)
    return [layer for layer in result if layer is not None]


def _fuse_rectifiers(layers: list[Layer], outputs: list[int]) -> list[Layer]:
    uses = _uses(layers, outputs)
    place = {layer.output: i for i, layer in enumerate(layers)}
    result: list[Layer | None] = list(layers)
    for i, layer in enumerate(layers):
        if layer.kind != "rectifier" or layer.inputs[0] not in place:
            continue
        position = place[layer.inputs[0]]
        maker = result[position]
        if maker is not None and not maker.rectify and maker.kind != "softmax" and uses[layer.inputs[0]] == 1:
            result[position], result[i] = None, replace(maker, output=layer.output, rectify=True)
    return [layer for layer in result if layer is not None]
