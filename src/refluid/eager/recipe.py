"""How the imperative mode saves what a gradient rule reads and calls the rule later, compiled once per operator."""

from __future__ import annotations

from typing import Any

import torch

from refluid.ops.registry import OpDef
from refluid.ops.signature import GRAD_SUFFIX


class Recipe:
    """`save(ins, lods, outs)` gives what to keep; `back(saved, grads, attrs, needs)` calls the gradient kernel.

    `ins` and `outs` are raw values per slot; `grads` one gradient per output slot (None: there is none).
    """

    def __init__(self, op: OpDef):
        gradient = op.gradient
        assert gradient is not None
        self.gradient = gradient
        saves: list[str] = []
        args: list[str] = []
        for param in gradient.params:
            slot = gradient.inputs[param.slot]
            name = slot.name
            if name in op.input_index or name in op.output_index:
                source = f"ins[{op.input_index[name]}]" if name in op.input_index else _out(op, op.output_index[name])
                if param.kind == "lod":
                    source = f"lods[{op.input_index[name]}]"
                elif param.kind == "shape":
                    shapes = f"[v.shape for v in {source}]" if slot.duplicable else f"{source}.shape"
                    source = f"(None if {source} is None else {shapes})" if slot.dispensable else shapes
                args.append(f"saved[{len(saves)}]")
                saves.append(source)
            else:
                out = op.output_index[name.removesuffix(GRAD_SUFFIX)]
                if slot.dispensable:
                    args.append(f"grads[{out}]")
                elif op.outputs[out].duplicable:
                    args.append(f"[zeros(m) if g is None else g for g, m in zip(grads[{out}], saved[{len(saves)}])]")
                    saves.append(f"[meta(v) for v in {_out(op, out)}]")
                elif op.single:
                    args.append(f"grads[{out}]")
                else:
                    args.append(f"(zeros(saved[{len(saves)}]) if grads[{out}] is None else grads[{out}])")
                    saves.append(f"meta({_out(op, out)})")
        call = ", ".join(args)
        if gradient.attrs:
            call += ", **attrs"
        if "needs" in gradient.engine:
            call += ", needs=needs"
        kept = ", ".join(saves) + ("," if saves else "")
        text = f"def save(ins, lods, outs): return ({kept})\ndef back(saved, grads, attrs, needs): return kernel({call})\n"
        space: dict[str, Any] = {"kernel": gradient.kernel, "zeros": _zeros, "meta": _meta}
        exec(text, space)
        self.save = space["save"]
        self.back = space["back"]
        self.defaults = {attr.param: op.attrs[name].default for name, attr in gradient.attrs.items() if name in op.attrs}
        self.attr_names = frozenset(self.defaults)
        # Which output of the gradient kernel belongs to which input slot of the forward operator.
        self.slots = [op.input_index[slot.name.removesuffix(GRAD_SUFFIX)] for slot in gradient.outputs]
        self.single = len(self.slots) == 1

    def attrs(self, given: dict[str, Any]) -> dict[str, Any]:
        """The attributes that the gradient kernel takes."""
        if not self.attr_names:
            return {}
        return {**self.defaults, **{name: value for name, value in given.items() if name in self.attr_names}}


def recipe_of(op: OpDef) -> Recipe:
    if op.recipe is None:
        op.recipe = Recipe(op)
    return op.recipe


def _out(op: OpDef, index: int) -> str:
    return "outs" if op.single else f"outs[{index}]"


def _meta(value: torch.Tensor) -> tuple:
    return value.shape, value.dtype, value.device


def _zeros(meta: tuple) -> torch.Tensor:
    return torch.zeros(meta[0], dtype=meta[1], device=meta[2])
