"""Operators whose gradient Fluid writes with other operators than `<op>_grad`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from refluid.ir.operator import Operator


class Part(NamedTuple):
    """One operator that passes the gradient of `source` on to `target` (variables, not their gradients)."""

    type: str
    source: str
    target: str
    attrs: dict[str, Any]


Rule = Callable[[Operator], list[Part]]


def _scale(op: Operator) -> list[Part]:
    attrs = {"scale": op.attrs["scale"], "bias": 0.0, "bias_after_scale": True}
    return [] if op.inputs.get("ScaleTensor") else [Part("scale", op.output("Out")[0], op.input("X")[0], attrs)]


def _sum(op: Operator) -> list[Part]:
    out = op.output("Out")[0]
    return [Part("scale", out, x, {"scale": 1.0, "bias": 0.0, "bias_after_scale": True}) for x in op.input("X")]


def _minus(op: Operator) -> list[Part]:
    out = op.output("Out")[0]
    return [
        Part("scale", out, op.input(slot)[0], {"scale": factor, "bias": 0.0, "bias_after_scale": True})
        for slot, factor in (("X", 1.0), ("Y", -1.0))
    ]


def _sign(op: Operator) -> list[Part]:
    attrs = {"scale": 0.0, "bias": 0.0, "bias_after_scale": True}
    return [Part("scale", op.output("Out")[0], op.input("X")[0], attrs)]


def _cumsum(op: Operator) -> list[Part]:
    attrs = {name: op.attrs[name] for name in ("axis", "flatten", "exclusive") if name in op.attrs}
    return [Part("cumsum", op.output("Out")[0], op.input("X")[0], {**attrs, "reverse": not op.attrs.get("reverse")})]


RULES: dict[str, Rule] = {"scale": _scale, "sum": _sum, "minus": _minus, "sign": _sign, "cumsum": _cumsum}
