"""Gradients that Fluid writes with operators of other types than `<op>_grad`; `@op.gradient_ops` attaches the rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol


class Call(Protocol):
    """An operator of a program (ir/operator.py)."""

    type: str
    attrs: dict[str, Any]
    block: Any

    def input(self, name: str) -> list[str]: ...

    def output(self, name: str) -> list[str]: ...


@dataclass(frozen=True)
class BackwardOp:
    """One operator of a backward pass. `sources` and `targets` name variables, and mean the gradients of those."""

    type: str
    sources: dict[str, list[str]]  # by input slot
    targets: dict[str, list[str]]  # by output slot
    attrs: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, list[str]] = field(default_factory=dict)  # forward values that it reads, by slot
    optional: bool = False  # sources that have no gradient stay empty, in place of zeros
    any_dtype: bool = False  # it is written for targets of integers too; a plan drops what nothing reads


def from_x_to_out(op: Call, type: str, attrs: dict[str, Any] | None = None, **inputs: list[str]) -> list[BackwardOp]:
    """The operator `type`, whose X is the gradient of Out and whose Out is that of X."""
    return [BackwardOp(type, {"X": op.output("Out")}, {"Out": op.input("X")}, attrs or {}, inputs)]


def scaled_back(op: Call, target: str, factor: float) -> BackwardOp:
    """The gradient of `target` is `factor` times that of Out."""
    attrs = {"scale": factor, "bias": 0.0, "bias_after_scale": True}
    return BackwardOp("scale", {"X": op.output("Out")}, {"Out": [target]}, attrs)


def some_attrs(op: Call, *names: str) -> dict[str, Any]:
    """Those of these attributes that the operator has."""
    return {name: op.attrs[name] for name in names if name in op.attrs}
