"""summary: parameters and operations of a program, as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from refluid.core.errors import DtypeError
from refluid.ir.operator import Operator
from refluid.ir.program import Program

HEADINGS = ("No.", "TYPE", "INPUT", "OUTPUT", "PARAMs", "FLOPs")
ACTIVATIONS = ("sigmoid", "tanh", "relu", "leaky_relu", "prelu")


class Cost(NamedTuple):
    """One counted operator; shapes have the batch as their first size."""

    type: str
    input: tuple[int, ...]
    output: tuple[int, ...]
    params: int
    flops: int


def summary(main_prog: Program) -> None:
    """Print what convolutions, products of fc, poolings, batch norms and activations of a program cost.

    FLOPs are those of one sample; a multiplication and an addition of a convolution count as two.
    """
    if not isinstance(main_prog, Program):
        raise DtypeError(f"summary: expected a fluid.Program, got {type(main_prog).__name__}")
    costs = [cost for op in main_prog.operators() if (cost := _cost(op)) is not None]
    rows = [
        (str(i), c.type, str(c.input[1:]), str(c.output[1:]), str(c.params), str(c.flops)) for i, c in enumerate(costs)
    ]
    print(_table(rows))
    params, flops = sum(c.params for c in costs), sum(c.flops for c in costs)
    print(f"Total PARAMs: {params}({params / 1e6:.4f}M)")
    print(f"Total FLOPs: {flops}({flops / 1e9:.2f}G)")
    print(f"Counted: conv2d, depthwise_conv2d, mul of fc, pool2d, batch_norm, {', '.join(ACTIVATIONS)}")


def _cost(op: Operator) -> Cost | None:
    """What the operator costs; None if it is of a type that is not counted."""
    if op.type in ("conv2d", "depthwise_conv2d"):
        x, y, (_, channels, height, width) = _shape(op, "Input"), _shape(op, "Output"), _shape(op, "Filter")
        # Fluid: the filter's channels, which are those of one group already, are divided by the groups once more.
        per_output = height * width * channels / op.attr("groups") + bool(op.input("Bias"))
        return Cost(op.type, x, y, int(y[1] * per_output), int(2 * math.prod(y[1:]) * per_output))
    if op.type == "pool2d":
        x, y = _shape(op, "X"), _shape(op, "Out")
        return Cost(op.type, x, y, 0, math.prod(y[1:]) * math.prod(op.attr("ksize")))
    if op.type == "mul" and "fc" in op.output("Out")[0]:
        weights = math.prod(_shape(op, "Y"))
        return Cost(op.type, _shape(op, "X"), _shape(op, "Out"), weights + 1, weights)  # Fluid: one for the bias
    if op.type == "batch_norm":
        x = _shape(op, "X")
        return Cost(op.type, x, _shape(op, "Y"), 2 * x[1], 2 * math.prod(x[1:]))
    if op.type in ACTIVATIONS:
        x = _shape(op, "X")
        return Cost(op.type, x, _shape(op, "Out"), int(op.type == "prelu"), math.prod(x[1:]))
    return None


def _shape(op: Operator, slot: str) -> tuple[int, ...]:
    name = (op.input(slot) or op.output(slot))[0]
    return op.block._var_recursive(name).shape


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    """Columns as wide as their entries, numbers right-aligned."""
    widths = [max(len(row[i]) for row in [HEADINGS, *rows]) for i in range(len(HEADINGS))]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"

    def line(row: tuple[str, ...]) -> str:
        return "|" + "|".join(f" {cell:>{width}} " for cell, width in zip(row, widths, strict=True)) + "|"

    return "\n".join([rule, line(HEADINGS), rule, *map(line, rows), *([rule] if rows else [])])
