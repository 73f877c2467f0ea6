"""What a package says of a convolutional network, for the kernel in the C++ library (refluid/cpp/src/network/)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from refluid.executor.derived import Derived
from refluid.executor.network.layers import Layer
from refluid.executor.passes import describe_network
from refluid.export.model import Model


@dataclass
class Network:
    text: str  # of the record extra/network.txt
    numbers: bytes  # of all parameters, float32


def network_of(model: Model) -> Network | None:
    """The network that a model is; None if it is none."""
    feeds, fetches = (tuple(var.name for var in variables) for variables in (model.feeds, model.fetches))
    if any(var.lod_level for var in model.feeds):
        return None
    network = describe_network(model.program.global_block(), feeds, fetches)
    if network is None:
        return None
    tensors = [
        source.value(model.weights) if isinstance(source, Derived) else model.weights[source]
        for source in network.parameters
    ]
    # Margins are multiplied too, so that infinity would make NaN of their zeros.
    if not all(tensor.dtype == torch.float32 and bool(torch.isfinite(tensor).all()) for tensor in tensors):
        return None
    lines = [f"inputs {_list(network.inputs)}", f"outputs {_list(network.outputs)}"]
    lines += [f"parameter {_list(tensor.shape)}" for tensor in tensors]
    lines += [_line(layer) for layer in network.layers]
    numbers = b"".join(tensor.contiguous().numpy().tobytes() for tensor in tensors)
    return Network("\n".join(lines) + "\n", numbers)


def _line(layer: Layer) -> str:
    values = [-1 if value is None else int(value) for value in (layer.weights, layer.bias, layer.residual)]
    pairs = [*layer.strides, *_pair(layer.paddings), *layer.dilations, *_pair(layer.ksize)]
    settings = [int(layer.average), int(layer.exclusive), int(layer.everything)]
    numbers = [layer.output, *values, int(layer.rectify), *pairs, *settings]
    return f"layer {layer.kind} {_list(layer.inputs)} {' '.join(map(str, numbers))}"


def _pair(values: tuple[int, ...]) -> tuple[int, ...]:
    """A pooling over everything may have been given any window."""
    return values if len(values) == 2 else (0, 0)


def _list(values: Sequence[int]) -> str:
    return " ".join(map(str, [len(values), *values]))
