"""Updates of parameters as C++. Their kernels read numbers (learning rates, powers) in Python, so they have no calls
that could be recorded; the formulas are those of the operators' documentation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from refluid.executor.compiling.loops import Memory, broadcast, nest, number
from refluid.executor.compiling.record import Operand, Unsupported
from refluid.ops.optim.adam import adam
from refluid.ops.optim.momentum import momentum
from refluid.ops.optim.sgd import sgd
from refluid.ops.registry import OpDef

Slots = dict[str, Operand]


Writer = Callable[[Slots, dict[str, Any], Memory], str]
_WRITERS: dict[OpDef, Writer] = {}


def is_written(op: OpDef) -> bool:
    """Whether an update of this kind has a text here."""
    return op in _WRITERS


def update(op: OpDef, slots: Slots, attrs: dict[str, Any], memory: Memory) -> str:
    """The text that updates one parameter."""
    if len(slots) != sum(not slot.dispensable for slot in op.inputs):
        raise Unsupported(f"{op.type} with optional inputs")
    param, grad = slots["Param"], slots["Grad"]
    if any(operand.dtype is not torch.float32 for operand in slots.values()) or grad.shape != param.shape:
        raise Unsupported(f"{op.type} of other dtypes or shapes")
    return "{ " + _WRITERS[op](slots, attrs, memory) + " }"


def _loop(slots: Slots, names: list[str], memory: Memory, body: str) -> str:
    operands = [slots[name] for name in names]
    shape = slots["Param"].shape
    strides = [broadcast(operand, shape) for operand in operands]

    def text(*indices: str) -> str:
        places = {
            name: f"{memory.pointer(operand)}[{index}]"
            for name, operand, index in zip(names, operands, indices, strict=True)
        }
        return body.format(**places)

    return nest(shape, strides, text)


def _number(slots: Slots, name: str, memory: Memory) -> str:
    if slots[name].numel != 1:
        raise Unsupported(f"{name} of {slots[name].numel} elements")
    return f"*{memory.pointer(slots[name])}"


def _writes(op: OpDef) -> Callable[[Writer], Writer]:
    def register(writer: Writer) -> Writer:
        _WRITERS[op] = writer
        return writer

    return register


@_writes(sgd)
def _sgd(slots: Slots, attrs: dict[str, Any], memory: Memory) -> str:
    rate = f"const float rate = {_number(slots, 'LearningRate', memory)}; "
    return rate + _loop(slots, ["Param", "Grad"], memory, "{Param} -= rate * {Grad};")


@_writes(momentum)
def _momentum(slots: Slots, attrs: dict[str, Any], memory: Memory) -> str:
    mu = number(attrs["mu"], "float")
    step = f"{{Grad}} + {mu} * v" if attrs.get("use_nesterov") else "v"
    return f"const float rate = {_number(slots, 'LearningRate', memory)}; " + _loop(
        slots, ["Param", "Grad", "Velocity"], memory,
        f"const float v = {mu} * {{Velocity}} + {{Grad}}; {{Velocity}} = v; {{Param}} -= rate * ({step});",
    )  # fmt: skip


@_writes(adam)
def _adam(slots: Slots, attrs: dict[str, Any], memory: Memory) -> str:
    b1, b2 = float(attrs.get("beta1", 0.9)), float(attrs.get("beta2", 0.999))
    rate, p1, p2 = (_number(slots, name, memory) for name in ("LearningRate", "Beta1Pow", "Beta2Pow"))
    head = (
        f"const double p1 = {p1}, p2 = {p2}; const double lr = (double){rate} * std::sqrt(1 - p2) / (1 - p1); "
        f"const float step = lr; "
    )
    body = (
        f"const float g = {{Grad}}; const float m = {{Moment1}} + {number(1 - b1, 'float')} * (g - {{Moment1}}); "
        f"const float v = {number(b2, 'float')} * {{Moment2}} + {number(1 - b2, 'float')} * g * g; {{Moment1}} = m; "
        f"{{Moment2}} = v; {{Param}} -= step * m / (std::sqrt(v) + {number(attrs.get('epsilon', 1e-8), 'float')});"
    )
    tail = f" {p1} *= {number(b1, 'float')}; {p2} *= {number(b2, 'float')};"
    return head + _loop(slots, ["Param", "Grad", "Moment1", "Moment2"], memory, body) + tail
