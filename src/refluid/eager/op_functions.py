"""core.ops: every operator as a function of the imperative mode, as Fluid's own layers call them.

    core.ops.elementwise_add(x, y, "axis", 1)

Positional arguments are the inputs that an operator must have, then outputs to write to (where 1.8.5 takes them), then
attributes in pairs of name and value. Results are the outputs that an operator must have: one, or a tuple.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.eager.inner import dygraph_only
from refluid.ops import registry
from refluid.ops.registry import OpDef

# Inputs that may be missing and are taken by position all the same.
_ALSO_TAKEN = {
    "assign": {"X"},
    "gru_unit": {"Bias"},
    "label_smooth": {"PriorDist"},
    "layer_norm": {"Scale", "Bias"},
}
# Outputs that the caller gives.
_WRITTEN = {
    "accuracy": ("Correct", "Total"),
    "adam": ("ParamOut", "Moment1Out", "Moment2Out", "Beta1PowOut", "Beta2PowOut"),
    "batch_norm": ("MeanOut", "VarianceOut"),
    "fill_constant": ("Out",),
    "matmul": ("Out",),
    "momentum": ("ParamOut", "VelocityOut"),
    "sgd": ("ParamOut",),
}


def __getattr__(name: str) -> Callable:
    op = None if name.startswith("__") else registry.find(name)
    if op is None:
        raise AttributeError(f"core.ops has no operator {name!r}")

    def call(*args: object) -> Any:
        return _call(op, args)

    call.__name__ = call.__qualname__ = name
    return dygraph_only(call)


def _call(op: OpDef, args: tuple[Any, ...]) -> Any:
    taken = [slot for slot in op.inputs if not slot.dispensable or slot.name in _ALSO_TAKEN.get(op.type, ())]
    written = _WRITTEN.get(op.type, ())
    visible = [slot for i, slot in enumerate(op.outputs) if i not in op.hidden]
    results = [slot for slot in visible if not slot.dispensable or slot.intermediate]
    counts = sum(slot.duplicable for slot in results)  # Fluid is told how many results there will be
    needed = len(taken) + len(written) + counts
    if len(args) < needed or (len(args) - needed) % 2:
        raise ArgumentError(
            f"core.ops.{op.type}: expected {', '.join([s.name for s in taken] + list(written))} and pairs of "
            f"attributes, got {len(args)} arguments"
        )
    inputs = dict(zip([slot.name for slot in taken], args))
    outs = dict(zip(written, args[len(taken) :]))
    pairs = args[needed:]
    returned = op(
        *[inputs.get(slot.name) for slot in op.inputs],
        outs={name: var for name, var in outs.items() if var is not None} or None,
        **dict(zip(pairs[::2], pairs[1::2])),
    )
    by_name = dict(zip([slot.name for slot in visible], returned if isinstance(returned, tuple) else (returned,)))
    chosen = tuple(by_name[slot.name] for slot in results)
    return chosen[0] if len(chosen) == 1 else chosen
