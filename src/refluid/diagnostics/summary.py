"""summary: the layers of a network with their output shapes, parameters and FLOPs, found by running it once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from refluid.core import mode
from refluid.core.errors import ArgumentError, ModeError
from refluid.eager.base import no_grad, to_variable
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.nn.layer import Layer

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure

_HEADINGS = ("layer", "output shape", "parameters", "FLOPs")


@dataclass
class Row:
    """One layer, in the order of the first calls."""

    name: str
    depth: int
    shapes: list[list[int]]
    parameters: int
    flops: int = 0


@dataclass
class Summary:
    """What `summary` returns; printing it shows the table.

    Attributes:
        rows: the layers that ran, each below the one that called it.
        parameters: the number of all elements of parameters.
        trainable: the number of those that training changes.
        flops: floating-point operations of matrix products and convolutions for the inputs that were given; a
            multiplication and an addition count as two.
    """

    rows: list[Row]
    parameters: int
    trainable: int
    flops: int

    def __str__(self) -> str:
        cells = [_HEADINGS]
        for row in self.rows:
            shapes = ", ".join(map(str, row.shapes))
            cells.append(("  " * row.depth + row.name, shapes, f"{row.parameters:,}", f"{row.flops:,}"))
        widths = [max(len(row[column]) for row in cells) for column in range(len(_HEADINGS))]
        lines = [f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c:>{widths[2]}}  {d:>{widths[3]}}" for a, b, c, d in cells]
        rule = "-" * len(lines[0])
        total = f"{self.parameters:,} parameters, {self.trainable:,} of them trainable; {self.flops:,} FLOPs"
        return "\n".join([lines[0], rule, *lines[1:], rule, total])

    __repr__ = __str__


def summary(layer: Layer, *inputs: object) -> Summary:
    """Run a network once and tell what each of its layers gives and costs.

    Args:
        layer: the network, a fluid.dygraph.Layer; it is run in evaluation mode and left as it was.
        inputs: what its `forward` takes: variables, or arrays.

    Returns:
        A Summary; `print` shows it as a table.

    Example:
        >>> from refluid.summary import summary
        >>> with fluid.dygraph.guard():
        ...     print(summary(fluid.dygraph.Linear(4, 2), np.ones((3, 4), "float32")))
        layer   output shape  parameters  FLOPs
        ---------------------------------------
        Linear  [3, 2]                10     48
        ---------------------------------------
        10 parameters, 10 of them trainable; 48 FLOPs
    """
    if not isinstance(layer, Layer):
        raise ArgumentError(f"summary: layer must be a fluid.dygraph.Layer, got {type(layer).__name__}")
    mode.current().demand_imperative(ModeError("summary: call it inside fluid.dygraph.guard()"))
    variables = [to_variable(value) if isinstance(value, np.ndarray) else value for value in inputs]
    rows = _run(layer, variables)
    parameters = list({id(parameter): parameter for parameter in layer.parameters()}.values())
    sizes = [math.prod(parameter.shape) for parameter in parameters]
    trainable = sum(
        size
        for size, parameter in zip(sizes, parameters, strict=True)
        if isinstance(parameter, ParamBase) and parameter.trainable
    )
    return Summary(rows, sum(sizes), trainable, rows[0].flops if rows else 0)


def _run(network: Layer, inputs: list[Any]) -> list[Row]:
    rows: list[Row] = []
    open_rows: list[Row] = []
    names = {id(network): ""} | {id(part): name for name, part in network.named_sublayers()}
    counter = FlopCounterMode(display=False, custom_mapping=_formulas())

    def enter(layer: Layer, _inputs: object) -> None:
        name = names[id(layer)].rpartition(".")[2]
        kind = type(layer).__name__
        row = Row(f"{name} ({kind})" if name else kind, len(open_rows), [], 0, -counter.get_total_flops())
        rows.append(row)
        open_rows.append(row)

    def leave(layer: Layer, _inputs: object, outputs: Structure) -> None:
        row = open_rows.pop()
        row.flops += counter.get_total_flops()
        row.shapes = _shapes(outputs)
        row.parameters = sum(math.prod(parameter.shape) for parameter in layer.parameters())

    parts = [network, *network.sublayers()]
    training = [part.training for part in parts]
    hooks = [part.register_forward_pre_hook(enter) for part in parts]
    hooks += [part.register_forward_post_hook(leave) for part in parts]
    network.eval()
    try:
        with counter, no_grad():
            network(*inputs)
    finally:
        for hook in hooks:
            hook.remove()
        network.train()
        for part, was in zip(parts, training, strict=True):
            part.training = was
    return rows


def _formulas() -> dict[Any, Any]:
    """For what torch does not count: oneDNN's product, which computes large matrices (ops/math/products.py)."""
    if not torch.backends.mkldnn.is_available():
        return {}
    return {torch.ops.mkldnn._linear_pointwise: _flops_of_product}


def _flops_of_product(x: tuple[int, ...], weight: tuple[int, ...], *_: object, **__: object) -> int:
    return 2 * math.prod(x) * weight[0]


def _shapes(outputs: Structure) -> list[list[int]]:
    if isinstance(outputs, VarBase):
        return [list(outputs.shape)]
    if isinstance(outputs, dict):
        outputs = list(outputs.values())
    if isinstance(outputs, list | tuple):
        return [shape for output in outputs for shape in _shapes(output)]
    return []
